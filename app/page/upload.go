package page

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/list"
	"hearth/app/middleware"
)

const maxUploads = 10

func isMultipart(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
}

func (v *visit) multipart(limit int64) (*middleware.Form, error) {
	middleware.LimitUpload(v.w)
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, limit)
	v.r.Form, v.r.PostForm = url.Values{}, url.Values{}
	form, err := middleware.ReadForm(v.r)
	if err != nil {
		return nil, errBadForm
	}
	return form, nil
}

// receive reads a form of up to limit bytes with files. The error of a file is kept for the handler, so that
// the following texts are read as well. Without take no file is kept.
func (s *site) receive(v *visit, limit int64, take bool) error {
	form, err := v.multipart(limit)
	if err != nil {
		return err
	}
	for read, fields := 0, 0; ; {
		part, err := form.Next()
		if errors.Is(err, io.EOF) {
			return cleanForm(v.r.PostForm)
		}
		if err != nil {
			return cmp.Or(v.uploadErr, badForm(err))
		}
		if part.Name == "file" && part.FileName != "" {
			if take && v.uploadErr == nil {
				v.uploadErr = s.receiveFile(v, part)
			}
			continue
		}
		b, err := io.ReadAll(io.LimitReader(part, int64(max(maxForm-read, 0))+1))
		read += len(b) + len(part.Name) + fieldSize
		if fields++; err != nil || read > maxForm || fields > maxFields {
			return cmp.Or(v.uploadErr, badForm(err))
		}
		v.r.PostForm.Add(part.Name, string(b))
	}
}

// receiveText reads a form whose field "data" may be a file of up to list.MaxImport bytes. Without take no
// file is kept.
func (v *visit) receiveText(take bool) error {
	form, err := v.multipart(list.MaxImport + maxForm)
	if err != nil {
		return err
	}
	for left := maxFields; ; left-- {
		part, err := form.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return v.badText(err)
		}
		if left == 0 {
			return errBadForm
		}
		if part.Name == "file" && !take {
			continue
		}
		b, err := io.ReadAll(part)
		if err != nil {
			return v.badText(err)
		}
		switch name := part.Name; {
		case name == "file" && len(b) > 0:
			v.r.PostForm.Set("data", string(b))
		case name != "file" && (name != "data" || v.form("data") == ""):
			v.r.PostForm.Add(name, string(b))
		}
	}
	if !utf8.ValidString(v.form("data")) {
		v.r.PostForm.Del("data")
		v.uploadErr = core.InvalidField("file", "This is not a file of text in UTF-8.")
	}
	return cleanForm(v.r.PostForm)
}

// badText keeps the error of a text that is too large for the handler. It returns other errors.
func (v *visit) badText(err error) error {
	var tooLarge *http.MaxBytesError
	if !errors.As(err, &tooLarge) {
		return badForm(err)
	}
	v.uploadErr = core.InvalidField("file", "The file is larger than %d MB. Split it.", list.MaxImport>>20)
	return nil
}

var errBadForm = core.New(core.Invalid, "bad_form", "The form could not be read. Go back, reload the page and send it again.")

func badForm(err error) error {
	if core.Known(err) {
		return err
	}
	return errBadForm
}

func (s *site) receiveFile(v *visit, part *middleware.Part) error {
	if len(v.uploads) == maxUploads {
		return core.InvalidField("content", "A message can have at most 10 files. Send the others with another one.")
	}
	u, err := s.Files.Begin(v.ctx(), v.by)
	if err != nil {
		return err
	}
	v.uploads = append(v.uploads, u)
	return u.Receive(part, part.FileName)
}

func (v *visit) closeUploads() {
	for _, u := range v.uploads {
		u.Close()
	}
}

func (v *visit) upload() (*file.Upload, error) {
	switch {
	case v.uploadErr != nil:
		return nil, v.uploadErr
	case len(v.uploads) != 1:
		return nil, core.New(core.Invalid, "file_required", "Choose a picture first.")
	}
	return v.uploads[0], nil
}

func (s *site) storeUploads(v *visit) (refs []chat.AttachmentRef, err error) {
	if v.uploadErr != nil {
		return nil, v.uploadErr
	}
	for _, u := range v.uploads {
		a, err := s.Chat.UploadAttachment.Call(v.ctx(), v.by, chat.UploadAttachmentIn{File: u})
		if err != nil {
			return nil, err
		}
		refs = append(refs, chat.AttachmentRef{ID: a.ID})
	}
	return refs, nil
}

func settingsPicture(s *site, v *visit) error {
	return s.changePicture(v, "picture", func() error {
		u, err := v.upload()
		if err == nil {
			_, err = s.Account.SetAvatar.Call(v.ctx(), v.by, account.SetAvatarIn{File: u})
		}
		return err
	})
}

func settingsPictureRemove(s *site, v *visit) error {
	return s.changePicture(v, "no-picture", func() error {
		_, err := s.Account.DeleteAvatar.Call(v.ctx(), v.by, core.None{})
		return err
	})
}

func (s *site) changePicture(v *visit, done string, change func() error) error {
	act := func() (string, error) { return "/settings?done=" + done, change() }
	return s.submit(v, nil, act, func(f Form) error {
		return s.showSettings(v, settingsForms{picture: f})
	})
}

// foreignPicture returns the address of a picture on another server, or "".
func foreignPicture(avatarURL *string) string {
	url := core.OrZero(avatarURL)
	if pictureOf(url) != "" {
		return ""
	}
	return url
}

func chatPicture(s *site, v *visit) error {
	return s.manage(v, "picture", func(id string) error {
		u, err := v.upload()
		if err == nil {
			_, err = s.Chat.SetGroupPicture.Call(v.ctx(), v.by, chat.SetGroupPictureIn{ID: id, File: u})
		}
		return err
	})
}

func chatPictureRemove(s *site, v *visit) error {
	return s.manage(v, "no-picture", func(id string) error {
		_, err := s.Chat.DeleteGroupPicture.Call(v.ctx(), v.by, core.ByID{ID: id})
		return err
	})
}

type fileView struct {
	Name, URL, Preview string
	Kind               string // "image", "audio", "video" or ""
	Size               int64
	Width, Height      int    // as displayed
	Duration           string // of a recording; "" if unknown
}

const maxPicture = 320

func fileOf(a chat.Attachment) fileView {
	f := fileView{Name: a.Name, URL: a.URL, Preview: firstOf(a.PreviewURL, a.URL), Size: a.Size, Width: a.Width, Height: a.Height}
	if kind, _, _ := strings.Cut(a.MimeType, "/"); kind == "image" || kind == "audio" || kind == "video" {
		f.Kind = kind
	}
	if a.DurationMs > 0 {
		f.Duration = durationText(a.DurationMs)
	}
	if large := max(a.Width, a.Height); large > maxPicture {
		f.Width, f.Height = max(1, a.Width*maxPicture/large), max(1, a.Height*maxPicture/large)
	}
	return f
}

// durationText returns minutes and seconds like 1:05; at least one second.
func durationText(ms int) string {
	seconds := max(1, (ms+500)/1000)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
