package webhook

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/queue"
	"hearth/store"
)

// Webhooks whose host never answers do not delay webhooks of another host.
func TestDeadReceivers(t *testing.T) {
	const dead = 40
	w := newWorld(t)
	var silent atomic.Int64
	never := w.receiver(func(_ http.ResponseWriter, r *http.Request, _ int) {
		silent.Add(1)
		<-r.Context().Done()
	})
	arrived := make(chan struct{}, 1)
	live := w.receiver(func(http.ResponseWriter, *http.Request, int) { arrived <- struct{}{} })
	c := w.group(w.Ada, w.Ben, w.Cleo)
	for n := range dead {
		w.hook([]store.User{w.Ada, w.Ben}[n%2], fmt.Sprint(never.URL, "/", n), "")
	}
	w.hook(w.Cleo, live.URL, "")
	w.start()
	var slowest time.Duration
	for range 20 {
		sent := time.Now()
		w.send(as(w.Ben), c, "hello")
		select {
		case <-arrived:
			slowest = max(slowest, time.Since(sent))
		case <-time.After(queue.AttemptTime - time.Second): // before a dead receiver times out
			t.Fatalf("not delivered beside %d requests without an answer", silent.Load())
		}
	}
	if n := silent.Load(); n > 16 {
		t.Errorf("%d requests wait", n)
	}
	t.Logf("the slowest of 20 deliveries took %v", slowest)
}

// Receivers that do harm cost an attempt, whatever they answer.
func TestHarmfulReceivers(t *testing.T) {
	raw := func(answer string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					if answer == "" {
						return
					}
					c.Read(make([]byte, 1)) // an answer before the request is another fault
					io.Copy(c, strings.NewReader(answer))
					io.Copy(io.Discard, c) // until the other side closes
				}()
			}
		}()
		return "http://" + l.Addr().String()
	}
	w := newWorld(t)
	endless := w.receiver(func(w http.ResponseWriter, r *http.Request, _ int) {
		for r.Context().Err() == nil {
			w.Write(make([]byte, 1<<16))
		}
	})
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused.Close()
	w.worker.timeout = time.Second
	for n, tc := range []struct{ name, url, status, reason string }{
		{"an endless body", endless.URL, "delivered", ""},
		{"closes at once", raw(""), "waiting", "The connection to the receiver failed."},
		{"not HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n"), "waiting", "The connection to the receiver failed."},
		{"an endless header", raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)), "waiting", "The connection to the receiver failed."},
		{"a header that does not end", raw("HTTP/1.1 200 OK\r\n"), "waiting", "The receiver did not answer within 10 seconds."},
		{"only early hints", raw("HTTP/1.1 103 Early Hints\r\n\r\n"), "waiting", "The receiver did not answer within 10 seconds."},
		{"nobody listens", "http://" + refused.Addr().String(), "waiting", "The connection to the receiver failed."},
		{"a private address", "http://10.0.0.1/", "waiting", "There is no such host on the public internet."},
	} {
		c := w.group(w.Ada, w.Ben)
		made := w.hook(w.Ada, "http://receiver.example/", c)
		if err := w.db.Write(w.ctx, func(tx *store.Tx) error { return tx.SetWebhookURL(made.ID, tc.url) }); err != nil {
			t.Fatal(err)
		}
		w.send(as(w.Ben), c, "hello")
		if n == 0 {
			w.start()
		}
		if d := w.status(w.Ada, made.ID, tc.status, 1); core.OrZero(d.Error) != tc.reason {
			t.Errorf("%s: %q, want %q", tc.name, core.OrZero(d.Error), tc.reason)
		}
	}
}

// An attempt that the server ended is made again after the next start, with the
// same id and before what follows it.
func TestRestart(t *testing.T) {
	w := newWorld(t)
	begun := make(chan struct{}, 1)
	r := w.receiver(func(_ http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			begun <- struct{}{}
			<-r.Context().Done()
		}
	})
	c := w.group(w.Ada, w.Ben)
	made := w.hook(w.Ada, r.URL, c)
	w.start()
	w.send(as(w.Ben), c, "one")
	<-begun
	w.send(as(w.Ben), c, "two")
	w.restart()
	w.status(w.Ada, made.ID, "delivered", 1)
	got := r.all()
	if len(got) != 3 || got[0].header.Get("webhook-id") != got[1].header.Get("webhook-id") || got[2].Message.Content != "two" {
		t.Errorf("got %d: %q", len(got), r.contents())
	}
	if one := w.log(w.Ada, made.ID)[1]; one.Attempts != 1 || one.Status != "delivered" {
		t.Errorf("the log has %+v", one)
	}
}

// Close waits for attempts under way, and records what came of them.
func TestCloseWaits(t *testing.T) {
	w := newWorld(t)
	begun, end := make(chan struct{}), make(chan struct{})
	r := w.receiver(func(http.ResponseWriter, *http.Request, int) {
		close(begun)
		<-end
	})
	c := w.group(w.Ada, w.Ben)
	made := w.hook(w.Ada, r.URL, c)
	w.start()
	w.send(as(w.Ben), c, "one")
	<-begun
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		w.worker.Close(context.Background())
	}()
	close(end)
	<-closed
	if d := w.log(w.Ada, made.ID)[0]; d.Status != "delivered" {
		t.Errorf("the log has %+v", d)
	}
}

// What decides whether a message is delivered is checked when it is: the owner
// has to be active and to see the conversation, and the message to be there.
func TestRechecked(t *testing.T) {
	block := func(w *world) error {
		return w.db.Write(w.ctx, func(tx *store.Tx) error {
			if _, err := tx.InsertBlock(w.Ada.ID, w.Ben.ID); err != nil {
				return err
			}
			_, err := tx.HideDirects(w.Ada.ID, w.Ben.ID)
			return err
		})
	}
	for _, tc := range []struct {
		name, reason string
		direct       bool
		change       func(w *world, conversation string, m chat.Message) error
	}{
		{"left", skipInvisible, false, func(w *world, c string, _ chat.Message) error {
			_, err := w.chat.RemoveParticipant.Call(w.ctx, as(w.Ada), chat.RemoveParticipantIn{ConversationID: c, UserID: w.Ada.ID})
			return err
		}},
		{"blocked", skipInvisible, true, func(w *world, _ string, _ chat.Message) error { return block(w) }},
		{"deleted", skipDeleted, false, func(w *world, _ string, m chat.Message) error {
			_, err := w.chat.DeleteMessage.Call(w.ctx, as(w.Ben), core.ByID{ID: m.ID})
			return err
		}},
		{"suspended", skipOwner, false, func(w *world, _ string, _ chat.Message) error {
			return w.db.Write(w.ctx, func(tx *store.Tx) error {
				u, err := tx.User(w.Ada.ID)
				if err == nil {
					u.SuspendedAt = tx.Now
					_, err = tx.UpdateUser(u)
				}
				return err
			})
		}},
		{"disabled", "The webhook is disabled.", false, func(w *world, _ string, _ chat.Message) error {
			return w.db.Write(w.ctx, func(tx *store.Tx) error {
				all, err := tx.Webhooks(as(w.Ada), 1)
				if err == nil {
					_, err = tx.DisableWebhook(all[0].ID, "owner")
				}
				return err
			})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			r := w.receiver(nil)
			c := w.group(w.Ben, w.Ada)
			if tc.direct {
				out, err := w.chat.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: []string{w.Ben.ID}})
				if err != nil {
					t.Fatal(err)
				}
				c = out.ID
			}
			made := w.hook(w.Ada, r.URL, "")
			m := w.send(as(w.Ben), c, "hello")
			if err := tc.change(w, c, m); err != nil {
				t.Fatal(err)
			}
			w.start()
			if d := w.status(w.Ada, made.ID, "skipped", 0); core.OrZero(d.Error) != tc.reason || len(r.all()) != 0 {
				t.Errorf("%q after %d requests", core.OrZero(d.Error), len(r.all()))
			}
		})
	}
}

// recording adds an uploaded file of one byte.
func recording(tx *store.Tx, userID string) (a store.Attachment, err error) {
	blob, err := tx.InsertBlob(1)
	if err == nil {
		err = tx.WritePart(blob, 0, []byte{0})
	}
	if err == nil {
		blob, err = tx.FinishBlob(blob, "hash of "+userID)
	}
	if err != nil {
		return a, err
	}
	return tx.InsertAttachment(store.Attachment{UserID: userID, BlobID: blob, Name: "note.m4a", MimeType: "audio/mp4", Size: 1}, 1<<20)
}

// A voice note waits for its transcript, also if everything that waits is made
// due, and is delivered without one when the time for it is over.
func TestVoiceNote(t *testing.T) {
	for _, transcript := range []string{"the oven is warm", ""} {
		w := newWorld(t)
		r := w.receiver(nil)
		c := w.group(w.Ada, w.Ben)
		made := w.hook(w.Ada, r.URL, c)
		m := store.Message{ConversationID: c, SenderID: w.Ben.ID, Type: "text", TranscribeUntil: w.db.Now().Add(time.Minute)}
		if err := w.db.Write(w.ctx, func(tx *store.Tx) error {
			a, err := recording(tx, w.Ben.ID)
			m.AttachmentIDs = []string{a.ID}
			m.Attachments = fmt.Sprintf(`[{"id":%q,"url":"/x","mimeType":"audio/mp4","name":"note.m4a","size":1}]`, a.ID)
			if err == nil {
				err = tx.Send(&m, nil)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		w.start()
		if _, err := w.chat.UpdateWebhook.Call(w.ctx, as(w.Ada), chat.UpdateWebhookIn{ID: made.ID, Enabled: core.Some(true)}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.chat.TestWebhook.Call(w.ctx, as(w.Ada), core.ByID{ID: made.ID}); err != nil {
			t.Fatal(err)
		}
		w.status(w.Ada, made.ID, "delivered", 1)
		if got := r.all(); len(got) != 1 || got[0].Message.ID == m.ID {
			t.Fatalf("delivered before it is transcribed: %q", r.contents())
		}
		if transcript == "" {
			w.advance(2 * time.Minute)
		} else if err := w.db.Write(w.ctx, func(tx *store.Tx) error {
			_, err := tx.SetTranscript(m.ID, transcript)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		w.until("delivered", func() bool { return len(r.all()) == 2 && w.worker.Waiting() == 0 })
		if got := r.all()[1].Message; got.ID != m.ID || core.OrZero(got.Transcript) != transcript || got.Content != "" || got.Attachments == nil {
			t.Errorf("got %s", r.all()[1].body)
		}
	}
}

// Who receives a message: the webhooks of its conversation and those for all
// conversations of its members, without the agents of the sender and its
// bot's owner, and of what was sent before they were members.
func TestSubscribers(t *testing.T) {
	w := newWorld(t)
	a, b := w.group(w.Ada, w.Ben), w.group(w.Ben, w.Cleo)
	hooks := map[string]chat.NewWebhook{
		"ada a": w.hook(w.Ada, "http://a.example", a), "ada": w.hook(w.Ada, "http://a.example", ""),
		"ben b": w.hook(w.Ben, "http://a.example", b), "cleo": w.hook(w.Cleo, "http://a.example", ""),
	}
	agent := func(u store.User) store.Viewer {
		v := as(u)
		v.Kind, v.KeyID, v.AgentName = store.Agent, store.NewID(), "Helper"
		return v
	}
	for _, tc := range []struct {
		by   store.Viewer
		in   string
		want string
	}{
		{as(w.Ben), a, "ada, ada a"}, {as(w.Ada), a, "ada, ada a"}, {agent(w.Ada), a, ""}, {agent(w.Ben), a, "ada, ada a"},
		{as(w.Cleo), b, "ben b, cleo"}, {agent(w.Cleo), b, "ben b"}, {agent(w.Ben), b, "cleo"},
	} {
		m := w.send(tc.by, tc.in, "hello")
		var got []string
		for _, name := range []string{"ada", "ada a", "ben b", "cleo"} {
			owner := map[byte]store.User{'a': w.Ada, 'b': w.Ben, 'c': w.Cleo}[name[0]]
			if log := w.log(owner, hooks[name].ID); len(log) > 0 && *log[0].MessageID == m.ID {
				got = append(got, name)
			}
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s in %s: queued for %q, want %q", tc.by.Name, tc.in, got, tc.want)
		}
	}
}
