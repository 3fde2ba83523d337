package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/media"
	"hearth/store"
)

// files returns what the files of the conversations are made of, by their names.
func files() map[string]func() []byte {
	return map[string]func() []byte{
		"hill with torches.jpg":   hill,
		"Jupiter.jpg":             moons,
		"birthday sponge.jpg":     cake,
		"frame bag.jpg":           crumbs,
		"crust.wav":               crust,
		"wren in the bowl.wav":    wren,
		"bikes of the school.pdf": bikes,
		"who has what.txt":        lent,
	}
}

// pictures returns those of people and groups, by handle and title.
func pictures() map[string]func() []byte {
	return map[string]func() []byte{
		"mira": loaf, "tomas": wheel, "kenji": heron, "layla": moon, "mei": bowl,
		"Night sky, Lantern Hill": sky, "Sunday bakers": loaf,
	}
}

// attach stores the files of a message of a line and describes them in m.
func (s *seeder) attach(tx *store.Tx, m *store.Message, names []string) error {
	var all []chat.Attachment
	for _, name := range names {
		content := files()[name]()
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
		draw := pictures()[p.handle]
		if draw == nil {
			continue
		}
		at = at.Add(s.between(time.Hour, day))
		s.at(at, func(tx *store.Tx) error {
			u, err := tx.User(s.users[p.handle].ID)
			if err != nil {
				return err
			}
			if u.AvatarURL, err = s.picture(tx, store.Picture{UserID: u.ID}, draw()); err == nil {
				s.users[p.handle], err = tx.UpdateUser(u)
			}
			return err
		})
	}
}

// picture stores the picture p and returns its address.
func (s *seeder) picture(tx *store.Tx, p store.Picture, content []byte) (url string, err error) {
	p.ID, p.MimeType = s.id(), "image/jpeg"
	if p.BlobID, err = blob(tx, content); err == nil {
		p, err = tx.SetPicture(p, math.MaxInt64)
	}
	return core.PictureURL(p.ID), err
}

// rate is how many samples a second of a recording has.
const rate = 8000

// recording returns seconds of sound, of which at gives each sample from -1 to 1.
func recording(seconds float64, at func(t float64) float64) []byte {
	n := int(seconds * rate)
	b := append(make([]byte, 0, 44+n), "RIFF....WAVEfmt "...)
	for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(rate), uint32(rate), uint16(1), uint16(8)} {
		b, _ = binary.Append(b, binary.LittleEndian, v) // numbers of fixed size
	}
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(n))
	for i := range n {
		b = append(b, byte(128+100*at(float64(i)/rate)))
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// crust is a loaf that crackles as it cools.
func crust() []byte {
	r := rand.New(rand.NewPCG(6, 1))
	level := 0.0
	return recording(4, func(float64) float64 {
		if level *= 0.96; r.IntN(400) == 0 {
			level = r.Float64()
		}
		return level * (r.Float64()*2 - 1)
	})
}

// wren is a bird that sings, and stops.
func wren() []byte {
	return recording(3, func(t float64) float64 {
		if t > 2.4 || math.Mod(t, 0.8) > 0.6 {
			return 0
		}
		trill := math.Abs(math.Sin(t * 45))
		return trill * math.Sin(2*math.Pi*(2300+500*math.Sin(t*28))*t) * 0.7
	})
}

func lent() []byte {
	return []byte("Who has what\n\ntruing stand    Seun, since 3 November\nchain whip      Mira (red tape: Tomás)\ntorque wrench   Zofia\nthe good pump   nobody, behind the door\n")
}

// bikes is a page of text.
func bikes() []byte {
	lines := []string{"Bikes of the school", "", "1  red, small      brake pads", "2  red, small      brake pads", "3  blue             chain", "4  green            two tubes", "5  green, bell     nothing, washed", "6  yellow           brake cable, on order"}
	text := "BT /F1 14 Tf 60 780 Td 22 TL (" + strings.Join(lines, ") Tj T* (") + ") Tj ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text),
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}
