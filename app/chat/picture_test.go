package chat_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// withFiles gives the service of w files, and transcription, which does nothing.
func (w *world) withFiles() *file.Store {
	w.Helper()
	files, err := file.New(file.Config{DB: w.db.DB})
	w.ok(err)
	w.s = chat.New(chat.Config{DB: w.db.DB, Files: files, Transcribe: func() {}})
	return files
}

// upload receives a file of u.
func (w *world) upload(files *file.Store, u store.User, name, content string) *file.Upload {
	w.Helper()
	up, err := files.Begin(w.ctx, as(u))
	w.ok(err)
	w.Cleanup(func() { up.Close() })
	w.ok(up.Receive(strings.NewReader(content), name))
	return up
}

func (w *world) picture() string {
	w.Helper()
	var b bytes.Buffer
	w.ok(png.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 10))))
	return b.String()
}

// The picture of a group is that group's, and everybody in it is told that it changed.
func TestGroupPicture(t *testing.T) {
	w := newWorld(t)
	files := w.withFiles()
	c := w.group(w.Ada, w.Ben)
	set := func(u store.User, id, content string) (chat.Conversation, error) {
		return w.s.SetGroupPicture.Call(w.ctx, as(u), chat.SetGroupPictureIn{ID: id, In: file.In{File: w.upload(files, u, "a.png", content)}})
	}
	remove := func(u store.User, id string) (chat.Conversation, error) {
		return w.s.DeleteGroupPicture.Call(w.ctx, as(u), core.ByID{ID: id})
	}
	_, last := w.events(0)
	got, err := set(w.Ada, c.ID, w.picture())
	if w.ok(err); got.AvatarURL == nil {
		t.Fatalf("no picture: %+v", got)
	}
	if evs := w.eventsFor(c.ID, last); evs != "conversation.updated c" {
		t.Errorf("events when it is set: %q", evs)
	}
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) error {
		id := (*got.AvatarURL)[strings.LastIndexByte(*got.AvatarURL, '/')+1:]
		p, err := r.Picture(id)
		if p.ConversationID != c.ID || p.UserID != "" {
			t.Errorf("the picture is that of %+v", p)
		}
		return err
	}))
	_, err = remove(w.Ben, c.ID)
	w.refuse(err, core.Forbidden, "owner_only")
	for n, want := range []string{"conversation.updated c", ""} {
		_, last = w.events(0)
		got, err := remove(w.Ada, c.ID)
		if w.ok(err); got.AvatarURL != nil {
			t.Errorf("the picture is still there: %v", *got.AvatarURL)
		}
		if evs := w.eventsFor(c.ID, last); evs != want {
			t.Errorf("events when it is removed, time %d: %q", n+1, evs)
		}
	}
}

// voiceNote sends a recording of Ada's to a conversation.
func (w *world) voiceNote(files *file.Store, conversationID string) chat.Message {
	w.Helper()
	wav := []byte("RIFF\x00\x00\x00\x00WAVEfmt " +
		"\x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x10\x00\x00" + strings.Repeat("\x80", 4096))
	binary.LittleEndian.PutUint32(wav[4:], uint32(len(wav)-8))
	a, err := w.s.UploadAttachment.Call(w.ctx, as(w.Ada), file.In{File: w.upload(files, w.Ada, "note.wav", string(wav))})
	w.ok(err)
	m, err := w.s.SendMessage.Call(w.ctx, as(w.Ada), chat.SendMessageIn{ConversationID: conversationID,
		Attachments: []chat.AttachmentRef{{ID: a.ID}}})
	w.ok(err)
	return m.Message
}

// The transcript of a voice note is awaited for exactly a minute. That there is one
// is an event, and that there is none is not.
func TestTranscriptIsAwaited(t *testing.T) {
	w := newWorld(t)
	files := w.withFiles()
	c := w.direct(w.Ada, w.Ben)
	for transcript, want := range map[string]string{"": "", "hello": "message.updated c"} {
		m := w.voiceNote(files, c.ID)
		w.ok(w.db.Read(w.ctx, func(r *store.Reader) error {
			waiting, err := r.VoiceNotes(1)
			if len(waiting) != 1 || waiting[0].Until != m.CreatedAt.Add(time.Minute) {
				t.Errorf("%+v waits of a message of %v", waiting, m.CreatedAt)
			}
			return err
		}))
		_, last := w.events(0)
		w.ok(w.s.FinishTranscript(w.ctx, m.ID, transcript))
		if evs := w.eventsFor(c.ID, last); evs != want {
			t.Errorf("events of the transcript %q: %q", transcript, evs)
		}
		if got := w.conversation(w.Ben, c.ID).LastMessage.Transcript; core.OrZero(got) != transcript {
			t.Errorf("transcript %v, want %q", got, transcript)
		}
		_, last = w.events(0)
		if err := w.s.FinishTranscript(w.ctx, m.ID, "again"); err != store.ErrNoRow {
			t.Errorf("a transcript that nothing waits for: %v", err)
		}
		if evs := w.eventsFor(c.ID, last); evs != "" {
			t.Errorf("events of a transcript that nothing waits for: %q", evs)
		}
	}
}

// Files of the caller with the same names and contents are the same, in the same order.
func TestSameFiles(t *testing.T) {
	w := newWorld(t)
	files := w.withFiles()
	upload := func(u store.User, name, content string) string {
		a, err := w.s.UploadAttachment.Call(w.ctx, as(u), file.In{File: w.upload(files, u, name, content)})
		w.ok(err)
		return a.ID
	}
	a, b := upload(w.Ada, "a.txt", "one"), upload(w.Ada, "b.txt", "two")
	again, bAgain := upload(w.Ada, "a.txt", "one"), upload(w.Ada, "b.txt", "two")
	named, changed, foreign := upload(w.Ada, "c.txt", "one"), upload(w.Ada, "a.txt", "three"), upload(w.Ben, "a.txt", "one")
	for name, tc := range map[string]struct {
		ids, others []string
		want        bool
	}{
		"none":                     {nil, nil, true},
		"the same":                 {[]string{a, b}, []string{a, b}, true},
		"sent again":               {[]string{a, b}, []string{again, bAgain}, true},
		"another order":            {[]string{a, b}, []string{bAgain, again}, false},
		"one less":                 {[]string{a, b}, []string{again}, false},
		"one more":                 {[]string{a}, []string{again, bAgain}, false},
		"another name":             {[]string{a}, []string{named}, false},
		"other content":            {[]string{a}, []string{changed}, false},
		"the second is another":    {[]string{a, b}, []string{again, named}, false},
		"a file of somebody else":  {[]string{a}, []string{foreign}, false},
		"files of somebody else":   {[]string{foreign}, []string{foreign}, false},
		"a file that is not there": {[]string{a}, []string{store.NewID()}, false},
	} {
		if got, err := w.s.SameFiles(w.ctx, as(w.Ada), tc.ids, tc.others); got != tc.want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
