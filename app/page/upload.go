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

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/app/op"
)

const maxUploads = 10

func isMultipart(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
}

// receive reads a form of up to limit bytes, with up to texts bytes of texts, and gives its files to take. The error of
// a file is kept for the handler, so that the following texts are read as well. Without take files are skipped.
func (v *visit) receive(limit, texts int, take func(*middleware.Part) error) error {
	middleware.LimitUpload(v.w)
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, int64(limit))
	v.r.Form, v.r.PostForm = url.Values{}, url.Values{}
	form, err := middleware.ReadForm(v.r)
	if err != nil {
		return errBadForm
	}
	for read := 0; ; {
		part, err := form.Next()
		if errors.Is(err, io.EOF) || err != nil && v.uploadErr != nil { // or a file is too large
			cleanForm(v.r.PostForm)
			return nil
		}
		if err != nil {
			return badForm(err)
		}
		if part.Name == "file" && part.FileName != "" {
			if take != nil && v.uploadErr == nil {
				v.uploadErr = take(part)
			}
			continue
		}
		b, err := io.ReadAll(io.LimitReader(part, int64(max(texts-read, 0))+1))
		read += len(b) + len(part.Name) + fieldSize
		if err != nil || read > texts {
			return cmp.Or(v.uploadErr, badForm(err))
		}
		v.r.PostForm.Add(part.Name, string(b))
	}
}

// receiveText puts the file into the field "data".
func (v *visit) receiveText(part *middleware.Part) error {
	b, err := io.ReadAll(part)
	switch {
	case err != nil:
		return core.InvalidField("file", "The file is larger than %d MB. Split it.", list.MaxImport>>20)
	case !utf8.Valid(b):
		return core.InvalidField("file", "This is not a file of text in UTF-8.")
	}
	if len(b) > 0 {
		v.r.PostForm.Set("data", string(b))
	}
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
		return core.InvalidField("content", "A message can have at most 10 files. Send the others with another message.")
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
		a, err := s.Chat.UploadAttachment.Call(v.ctx(), v.by, file.In{File: u})
		if err != nil {
			return nil, err
		}
		refs = append(refs, chat.AttachmentRef{ID: a.ID})
	}
	return refs, nil
}

// sendPicture is send for an operation that takes the file of the form.
func sendPicture[In, Out any](v *visit, f *op.Func[In, Out], of func(*In) **file.Upload) (out Out, err error) {
	u, err := v.upload()
	if err != nil {
		return out, err
	}
	return send(v, f, func(in *In) { *of(in) = u })
}

// foreignPicture returns the address of a picture on another server, or "".
func foreignPicture(avatarURL *string) string {
	url := core.OrZero(avatarURL)
	if pictureOf(url) != "" {
		return ""
	}
	return url
}

func (s *site) chatPicture(v *visit) error {
	return s.submit(v, func() (string, error) {
		_, err := sendPicture(v, s.Chat.SetGroupPicture, func(in *chat.SetGroupPictureIn) **file.Upload { return &in.File })
		return v.address("/chat/{id}/people?done=picture"), err
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
