package demo

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/media"
	"hearth/store"
)

// files has the files of conversations, and the pictures of people and groups.
//
//go:embed files
var files embed.FS

// pictures are the names of those of people and groups, by handle and title.
var pictures = map[string]string{
	"mira": "loaf", "tomas": "wheel", "kenji": "heron", "layla": "moon", "mei": "bowl",
	"Night sky, Lantern Hill": "sky", "Sunday bakers": "loaf",
}

// attach stores the files of a message of a line and describes them in m.
func (s *seeder) attach(tx *store.Tx, m *store.Message, names []string) error {
	var all []chat.Attachment
	for _, name := range names {
		content, err := files.ReadFile("files/" + name)
		if err != nil {
			return err
		}
		f, err := media.Inspect(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		a := store.Attachment{ID: s.id(), UserID: m.SenderID, Name: name, MimeType: f.Type, Size: int64(len(content)),
			Width: f.Width, Height: f.Height, DurationMs: f.DurationMs}
		if a.BlobID, err = blob(tx, content); err != nil {
			return err
		}
		if a, err = tx.InsertAttachment(a, math.MaxInt64); err != nil {
			return err
		}
		all, m.AttachmentIDs = append(all, chat.AttachmentOf(&a)), append(m.AttachmentIDs, a.ID)
	}
	if len(all) == 0 {
		return nil
	}
	text, err := json.Marshal(all)
	m.Attachments = string(text)
	return err
}

// blob stores a content and returns its id.
func blob(tx *store.Tx, content []byte) (int64, error) {
	id, err := tx.InsertBlob(int64(len(content)))
	for n := 0; err == nil && n*store.PartSize < len(content); n++ {
		err = tx.WritePart(id, n, content[n*store.PartSize:min(len(content), (n+1)*store.PartSize)])
	}
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(content)
	return tx.FinishBlob(id, hex.EncodeToString(sum[:]))
}

// avatars adds the steps in which people choose their pictures.
func (s *seeder) avatars(people []person) {
	at := s.now.Add(-15 * day)
	for _, p := range people {
		if pictures[p.handle] == "" {
			continue
		}
		at = at.Add(s.between(time.Hour, day))
		s.at(at, func(tx *store.Tx) error {
			u, err := tx.User(s.users[p.handle].ID)
			if err != nil {
				return err
			}
			if u.AvatarURL, err = s.picture(tx, store.Picture{UserID: u.ID}, pictures[p.handle]); err == nil {
				s.users[p.handle], err = tx.UpdateUser(u)
			}
			return err
		})
	}
}

// picture stores the picture p and returns its address.
func (s *seeder) picture(tx *store.Tx, p store.Picture, name string) (url string, err error) {
	content, err := files.ReadFile("files/" + name + ".jpg")
	if err != nil {
		return "", err
	}
	p.ID, p.MimeType = s.id(), "image/jpeg"
	if p.BlobID, err = blob(tx, content); err == nil {
		p, err = tx.SetPicture(p, math.MaxInt64)
	}
	return core.PictureURL(p.ID), err
}
