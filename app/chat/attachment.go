package chat

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// The type comes from the content. Pictures lose metadata such as their location. A file that is not sent within 24
// hours is deleted.
func (s *Service) uploadAttachment(ctx context.Context, by store.Viewer, in file.In) (Attachment, error) {
	row, err := s.Files.SaveAttachment(ctx, by, in.File)
	return AttachmentOf(&row), err
}

// GetAttachmentIn is the input of GetAttachment.
type GetAttachmentIn struct {
	ID      string `path:"id" json:"-"`
	Preview bool   `query:"preview" json:"-" doc:"The smaller picture of a large one"`
}

func (s *Service) getAttachment(ctx context.Context, by store.Viewer, in GetAttachmentIn) (out *file.Served, err error) {
	out, err = store.Get(ctx, s.DB, func(r *store.Reader) (*file.Served, error) {
		a, err := r.Attachment(by, in.ID)
		if err != nil {
			return nil, err
		}
		return s.Files.Serve(ctx, r, file.Stored{
			BlobID: a.BlobID, Size: a.Size, Name: a.Name, MimeType: a.MimeType, PreviewID: a.PreviewID, PreviewType: a.PreviewType,
		}, in.Preview)
	})
	return out, core.Found(err)
}

const attachmentPath = "/api/chat/attachments/"

// AttachmentRef names a file that the caller uploaded.
type AttachmentRef struct {
	ID  string `json:"id" format:"uuid"`
	URL string `json:"url" max:"2048" doc:"The url of the file, instead of its id"`
}

func attachmentIDs(refs []AttachmentRef) ([]string, error) {
	ids := make([]string, 0, len(refs))
	for i, ref := range refs {
		id := ref.ID
		if id == "" {
			id = ref.URL[strings.LastIndexByte(ref.URL, '/')+1:]
		}
		if !store.ValidID(id) || slices.Contains(ids, id) {
			return nil, errNoUpload(i)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func errNoUpload(i int) error {
	e := core.InvalidField("attachments["+strconv.Itoa(i)+"]",
		"attachments[%d] must be the id or the url of a file that you uploaded, each once. Upload it again.", i)
	e.Code = "no_such_upload"
	return e
}

const transcriptTime = 60 * time.Second

func (s *Service) addAttachments(tx *store.Tx, by store.Viewer, m *store.Message, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.OwnAttachments(by, ids...)
	if err != nil {
		return err
	}
	all := make([]Attachment, len(ids))
	for i, id := range ids {
		at := slices.IndexFunc(rows, func(a store.Attachment) bool { return a.ID == id })
		if at < 0 {
			return errNoUpload(i)
		}
		all[i] = AttachmentOf(&rows[at])
	}
	text, err := json.Marshal(all)
	m.Attachments, m.AttachmentIDs = string(text), ids
	if s.Transcribe != nil && m.Content == "" && len(all) == 1 && isAudio(all[0].MimeType) {
		m.TranscribeUntil = tx.In(transcriptTime)
	}
	return err
}

// SameFiles reports whether files of by have the same names and contents as others, in the same order.
func (s *Service) SameFiles(ctx context.Context, by store.Viewer, ids, others []string) (same bool, err error) {
	if len(ids) != len(others) {
		return false, nil
	}
	rows, err := store.Get(ctx, s.DB, func(r *store.Reader) ([]store.Attachment, error) {
		return r.OwnAttachments(by, slices.Concat(ids, others)...)
	})
	byID := map[string]store.Attachment{}
	for _, a := range rows {
		byID[a.ID] = a
	}
	for i, id := range ids {
		a, b := byID[id], byID[others[i]]
		if a.ID == "" || b.ID == "" || a.BlobID != b.BlobID || a.Name != b.Name {
			return false, err
		}
	}
	return err == nil, err
}

// AttachmentOf returns a row as an attachment.
func AttachmentOf(a *store.Attachment) Attachment {
	out := Attachment{
		ID: a.ID, URL: attachmentPath + a.ID, MimeType: a.MimeType, Name: a.Name, Size: a.Size,
		Width: a.Width, Height: a.Height, DurationMs: a.DurationMs,
	}
	if a.PreviewID != 0 {
		out.PreviewURL = out.URL + "?preview=true"
	}
	return out
}

// Files returns the files of the message. The row keeps them as JSON, so that pages of messages do not decode it.
func (m *Message) Files() []Attachment {
	if m.Attachments != nil || m.FilesJSON == "" {
		return m.Attachments
	}
	var all []Attachment
	if json.Unmarshal([]byte(m.FilesJSON), &all) != nil {
		return nil // the server wrote it
	}
	return all
}

func isAudio(mimeType string) bool { return strings.HasPrefix(mimeType, "audio/") }

// VoiceNote reports whether a message is a recording and nothing else.
func (m *Message) VoiceNote() bool {
	files := m.Files()
	return m.Content == "" && len(files) == 1 && isAudio(files[0].MimeType)
}

// Preview returns the beginning of the message, or a word for its files.
func (m *Message) Preview() string {
	picture := func(a Attachment) bool { return strings.HasPrefix(a.MimeType, "image/") }
	if m.Content != "" {
		return core.FirstRunes(m.Content, 100)
	}
	switch files := m.Files(); {
	case len(files) == 0:
		return ""
	case m.VoiceNote():
		return "Voice note"
	case !slices.ContainsFunc(files, func(a Attachment) bool { return !picture(a) }):
		return "Photo"
	}
	return "File"
}

// FinishTranscript stores the transcript of a voice note, or "" for none.
func (s *Service) FinishTranscript(ctx context.Context, messageID, transcript string) error {
	return s.DB.Write(ctx, func(tx *store.Tx) error {
		conversation, err := tx.SetTranscript(messageID, transcript)
		if err == nil && transcript != "" {
			err = tx.Emit(store.Event{Topic: conversation, Kind: messageUpdated, ObjectID: messageID})
		}
		return err
	})
}
