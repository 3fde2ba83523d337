package voice_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/voice"
	"hearth/store"
	"hearth/store/storetest"
)

// world is a conversation of two, and a service that transcribes.
type world struct {
	storetest.Cast
	*testing.T
	db    *storetest.DB
	files *file.Store
	chat  *chat.Service
	ada   store.Viewer
	id    string // of the conversation
	done  chan string
	woken func()
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, db: storetest.Open(t), done: make(chan string, 10)}
	w.Cast = storetest.People(t, w.db)
	w.ada = storetest.Human(w.Ada)
	var err error
	if w.files, err = file.New(file.Config{DB: w.db.DB}); err != nil {
		t.Fatal(err)
	}
	w.chat = chat.New(chat.Config{DB: w.db.DB, Files: w.files, Transcribe: func() {
		if w.woken != nil {
			w.woken()
		}
	}})
	c, err := w.chat.CreateConversation.Call(t.Context(), w.ada, chat.CreateConversationIn{ParticipantIDs: []string{w.Ben.ID}})
	if err != nil {
		t.Fatal(err)
	}
	w.id = c.ID
	return w
}

// send sends a voice note of Ada's and returns its message.
func (w *world) send() chat.Message {
	w.Helper()
	return w.sendAs(w.ada, "note.wav")
}

func (w *world) sendAs(by store.Viewer, name string) chat.Message {
	w.Helper()
	u, err := w.files.Begin(w.Context(), by)
	if err != nil {
		w.Fatal(err)
	}
	defer u.Close()
	wav := []byte("RIFF\x00\x00\x00\x00WAVEfmt " +
		"\x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x10\x00\x00")
	wav = append(wav, bytes.Repeat([]byte{0x80}, 4096)...)
	binary.LittleEndian.PutUint32(wav[4:], uint32(len(wav)-8))
	if err := u.Receive(bytes.NewReader(wav), name); err != nil {
		w.Fatal(err)
	}
	a, err := w.chat.UploadAttachment.Call(w.Context(), by, file.In{File: u})
	if err != nil {
		w.Fatal(err)
	}
	m, err := w.chat.SendMessage.Call(w.Context(), by, chat.SendMessageIn{ConversationID: w.id, Attachments: []chat.AttachmentRef{{ID: a.ID}}})
	if err != nil {
		w.Fatal(err)
	}
	return m.Message
}

// start starts a transcriber for the service at url.
func (w *world) start(url string) *voice.Transcriber {
	w.Helper()
	tr, err := voice.New(voice.Config{DB: w.db.DB, Files: w.files, URL: url, Finish: func(ctx context.Context, id, text string) error {
		err := w.chat.FinishTranscript(ctx, id, text)
		w.done <- text
		return err
	}})
	if err != nil {
		w.Fatal(err)
	}
	w.woken = tr.Wake
	return tr
}

// wait returns the next transcript.
func (w *world) wait() string {
	w.Helper()
	select {
	case text := <-w.done:
		return text
	case <-time.After(20 * time.Second):
		w.Fatal("no transcript")
		return ""
	}
}

func (w *world) message(id string) chat.Message {
	w.Helper()
	ms, err := w.chat.MessagesByID.Call(w.Context(), w.ada, chat.MessagesByIDIn{ConversationID: w.id, IDs: []string{id}})
	if err != nil || len(ms) != 1 {
		w.Fatal(len(ms), err)
	}
	return ms[0]
}

func (w *world) until(id string) (at store.Time) {
	w.Helper()
	err := w.db.Read(w.Context(), func(r *store.Reader) (err error) {
		notes, err := r.VoiceNotes(100)
		for _, n := range notes {
			if n.MessageID == id {
				at = n.Until
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return at
}

func TestVoiceNotesAreTranscribed(t *testing.T) {
	w := newWorld(t)
	var form string
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		f, head, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		n, _ := io.Copy(io.Discard, f)
		form = fmt.Sprintf("%s %s %s %d", r.URL.Path, r.FormValue("model"), head.Filename, n)
		fmt.Fprint(rw, `{"text":" Bread is ready.\u0000 "}`)
	}))
	defer srv.Close()
	tr := w.start(srv.URL)
	defer tr.Close()
	m := w.send()
	if text := w.wait(); text != "Bread is ready." {
		t.Errorf("transcript %q", text)
	}
	if form != "/v1/audio/transcriptions whisper-1 note.wav 4140" {
		t.Errorf("the service was sent %s", form)
	}
	if got := w.message(m.ID); got.Transcript == nil || *got.Transcript != "Bread is ready." || w.until(m.ID) != 0 {
		t.Errorf("%+v", got)
	}
	events := w.db.Events(t, w.id)
	if last := events[len(events)-1]; last.Kind != "message.updated" || last.ObjectID != m.ID {
		t.Errorf("%+v", last)
	}
}

// A service that fails, redirects or responds with something else leaves the note
// without a transcript, and nothing waits for it.
func TestVoiceNotesWithoutTranscript(t *testing.T) {
	for name, respond := range map[string]http.HandlerFunc{
		"500": func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(500) },
		"redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "/other", http.StatusTemporaryRedirect)
		},
		"no JSON": func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "<html>") },
		"endless": func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, `{"text":"`, strings.Repeat("x", 1<<20)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			srv := httptest.NewServer(respond)
			defer srv.Close()
			tr := w.start(srv.URL)
			defer tr.Close()
			m := w.send()
			if text := w.wait(); text != "" || w.until(m.ID) != 0 || w.message(m.ID).Transcript != nil {
				t.Errorf("transcript %q", text)
			}
		})
	}
}

// A voice note for which the service needs long keeps one worker busy: those after it
// are transcribed meanwhile, and have not waited in vain.
func TestSlowVoiceNote(t *testing.T) {
	w := newWorld(t)
	var first atomic.Bool
	end := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if first.CompareAndSwap(false, true) {
			select {
			case <-end:
			case <-r.Context().Done():
			}
			fmt.Fprint(rw, `{"text":"slow"}`)
			return
		}
		fmt.Fprint(rw, `{"text":"quick"}`)
	}))
	defer srv.Close()
	tr := w.start(srv.URL)
	defer tr.Close()
	for range 5 {
		w.send()
	}
	for range 4 {
		if text := w.wait(); text != "quick" {
			t.Errorf("transcript %q", text)
		}
	}
	close(end)
	if text := w.wait(); text != "slow" {
		t.Errorf("transcript %q", text)
	}
}

// What waits when the server stops is transcribed when it starts again, unless
// that is too late.
func TestVoiceNotesSurviveRestarts(t *testing.T) {
	w := newWorld(t)
	first := w.send()
	if w.until(first.ID) == 0 {
		t.Fatal("nothing waits for the transcript")
	}
	w.db.Clock.Advance(61 * time.Second)
	second, gone := w.send(), w.send()
	if _, err := w.chat.DeleteMessage.Call(t.Context(), w.ada, core.ByID{ID: gone.ID}); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, `{"text":"late"}`) }))
	defer srv.Close()
	tr := w.start(srv.URL)
	defer tr.Close()
	got := map[string]bool{w.wait(): true, w.wait(): true}
	if !got["late"] || !got[""] {
		t.Errorf("transcripts %v", got)
	}
	if m := w.message(second.ID); m.Transcript == nil || w.message(first.ID).Transcript != nil {
		t.Errorf("%+v", m)
	}
}

func TestURLsOfServices(t *testing.T) {
	for _, u := range []string{"", "whisper", "ftp://x", "http://", "http://x/?a=b"} {
		if tr, err := voice.New(voice.Config{URL: u}); err == nil {
			tr.Close()
			t.Errorf("%q was accepted", u)
		}
	}
}
