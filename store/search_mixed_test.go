package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// mixedMessage is a message of mixedWorld.
type mixedMessage struct {
	store.Message
	text, file, transcript string // what it is found by
}

// mixedWorld is wordsWorld with a third group, of Ada, Cleo and Dora, and messages in all
// three, in no regular order: of these Ada sees so many that a search of hers reads the
// index, and Dora so few that they are compared without it.
type mixedWorld struct {
	*wordsWorld
	dora  store.Viewer
	both  string
	files [2]string // ids
	sent  []mixedMessage
}

func newMixedWorld(t *testing.T) *mixedWorld {
	w := &mixedWorld{wordsWorld: newWordsWorld(t)}
	w.dora = storetest.Human(w.Stranger)
	w.write(func(tx *store.Tx) (err error) {
		if w.both, err = tx.InsertGroup(w.Ada.ID, []string{w.Cleo.ID, w.dora.UserID}, "Both"); err != nil {
			return err
		}
		blob, err := tx.InsertBlob(1)
		if err == nil {
			err = tx.WritePart(blob, 0, []byte("x"))
		}
		if err == nil {
			blob, err = tx.FinishBlob(blob, strings.Repeat("0", 64))
		}
		for n := range w.files {
			if err == nil {
				var a store.Attachment
				a, err = tx.InsertAttachment(store.Attachment{UserID: w.Ada.ID, BlobID: blob, Name: "n", MimeType: "text/plain", Size: 1}, 1000)
				w.files[n] = a.ID
			}
		}
		return err
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for batch := range 24 {
		state := *rng
		w.write(func(tx *store.Tx) error {
			*rng = state // this may run twice
			w.sent = w.sent[:batch*100]
			for range 100 {
				if err := w.add(tx, rng); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return w
}

// add sends one message.
func (w *mixedWorld) add(tx *store.Tx, rng *rand.Rand) error {
	tx.Now = tx.Tick()
	n := len(w.sent)
	m := mixedMessage{text: fmt.Sprintf("number%d frequent", n)}
	m.ConversationID, m.SenderID = w.adas, w.Ada.ID
	switch rng.IntN(10) {
	case 0, 1:
		m.ConversationID, m.SenderID = w.both, w.Ada.ID
	case 2:
		m.ConversationID, m.SenderID = w.both, w.Cleo.ID
	case 3, 4, 5:
		m.ConversationID, m.SenderID = w.bens, w.Ben.ID
	}
	for i, word := range []string{" often", " tenth", " seldom", " https://link.example/"} {
		if (n*7919+i)%[]int{3, 10, 150, 12}[i] == 0 {
			m.text += word
		}
	}
	if n%20 == 3 {
		i := n / 20 % 2
		m.file, m.AttachmentIDs = []string{"report", "picture"}[i], w.files[i:i+1]
		m.Attachments = fmt.Sprintf(`[{"id":%q,"name":%q,"mimeType":%q}]`, w.files[i], m.file+".xyz", []string{"application/pdf", "image/png"}[i])
	}
	if n%35 == 5 {
		m.transcript, m.TranscribeUntil = "spoken words", tx.Now+1
	}
	m.Content = m.text
	if n%90 == 60 {
		m.text, m.file, m.transcript = "", "", ""
		card, err := tx.SendCard(m.ConversationID, store.MessageCard{Kind: "match", Payload: `{"x":"frequent"}`})
		m.Message = card
		w.sent = append(w.sent, m)
		return err
	}
	err := tx.Send(&m.Message, nil)
	if err == nil && m.transcript != "" {
		_, err = tx.SetTranscript(m.ID, m.transcript)
	}
	w.sent = append(w.sent, m)
	return err
}

// has reports whether the message has all words and a kind of content, "" for none.
func (m mixedMessage) has(kind string, words ...string) bool {
	all := " " + m.text + " " + m.file + " " + m.transcript
	if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, " "+word) }) {
		return false
	}
	image := strings.Contains(m.Attachments, "image/")
	return map[string]bool{"": true, store.HasFile: m.file != "", store.HasImage: image, store.HasLink: strings.Contains(m.text, "https://")}[kind]
}

// Whatever is searched for, the messages that have it are found, each once and the
// newest first, in parts of any size: words of texts, names of files and transcripts,
// kinds of content and senders, from one moment on and before another. Cards are not.
// Those of an account whose deletion has begun still are, and from the moment on at which
// it is read as deleted none of them.
func TestSearchOfMixedMessages(t *testing.T) {
	t.Parallel()
	w := newMixedWorld(t)
	w.checkFound(t)
	w.checkDeletion(t)
}

func (w *mixedWorld) checkFound(t *testing.T) {
	t.Helper()
	at := func(n int) store.Time { return w.sent[n].CreatedAt }
	many := ""
	for range 60 {
		many += " " + store.NewID()
	}
	for _, c := range []struct {
		kind, senders string
		words         []string
		from, until   int // numbers of messages; 0 is no bound
	}{
		{"", "", []string{"frequent"}, 0, 0}, {"", "", []string{"often"}, 0, 0}, {"", "", []string{"tenth", "often"}, 0, 0}, {"", "", []string{"seldom", "frequent"}, 0, 0},
		{"", "", []string{"number7"}, 0, 0}, {"", "", []string{"report"}, 0, 0}, {"", "", []string{"picture", "often"}, 0, 0}, {"", "", []string{"spoken"}, 0, 0},
		{store.HasFile, "", nil, 0, 0}, {store.HasImage, "", nil, 0, 0}, {store.HasLink, "", []string{"often"}, 0, 0}, {store.HasLink, w.Cleo.ID, nil, 0, 0},
		{"", w.Ada.ID, nil, 0, 0}, {"", w.Cleo.ID, []string{"frequent"}, 0, 0}, {"", w.Ben.ID, nil, 0, 0},
		{"", w.Cleo.ID + " " + w.Ada.ID, []string{"seldom"}, 0, 0}, {"", w.Cleo.ID + many, []string{"often"}, 0, 0}, {"", w.Ben.ID + many + " " + w.Ada.ID, nil, 0, 0}, {"", w.Cleo.ID + " " + w.Ben.ID, []string{"often"}, 0, 0},
		{"", "", nil, 0, 0}, {"", "", nil, 500, 2000}, {"", "", nil, 501, 2001}, {"", "", nil, 503, 2002}, {"", "", []string{"often"}, 1500, 0}, {"", "", []string{"tenth"}, 0, 800},
	} {
		q := store.Search{}
		for _, word := range c.words {
			q.Terms = append(q.Terms, store.Term{Words: store.Words(word)})
		}
		if c.kind != "" {
			q.Has = []string{c.kind}
		}
		q.Senders = strings.Fields(c.senders)
		if c.from != 0 {
			q.From = at(c.from)
		}
		if c.until != 0 {
			q.Until = at(c.until)
		}
		for _, by := range []store.Viewer{w.ada, w.dora} {
			var want []string
			for n, m := range slices.Backward(w.sent) {
				if (m.ConversationID == w.both || m.ConversationID == w.adas && by.UserID == w.Ada.ID) && m.Type == "text" && n >= c.from && (c.until == 0 || n < c.until) &&
					m.has(c.kind, c.words...) && (c.senders == "" || strings.Contains(c.senders, m.SenderID)) {
					want = append(want, m.Content)
				}
			}
			for _, limit := range []int{70, 600} {
				if got, _ := w.search(by, q, limit); !slices.Equal(got, want) {
					t.Errorf("%+v for %s by %d: %d found, want %d", c, by.Name, limit, len(got), len(want))
				}
			}
		}
	}
}

func (w *mixedWorld) checkDeletion(t *testing.T) {
	t.Helper()
	check := func(when string, all bool) {
		t.Helper()
		for _, by := range []store.Viewer{w.ada, w.dora} {
			for _, sender := range []string{w.Ada.ID, w.Cleo.ID} {
				want := 0
				for _, m := range w.sent {
					if m.Type == "text" && m.SenderID == sender && (m.ConversationID == w.both || by.UserID == w.Ada.ID && m.ConversationID == w.adas) && (all || sender != w.Cleo.ID) {
						want++
					}
				}
				if got, _ := w.search(by, store.Search{Senders: []string{sender}, Terms: words("frequent").Terms}, 100); len(got) != want {
					t.Errorf("%s, of %.8s for %s: %d messages, want %d", when, sender, by.Name, len(got), want)
				}
			}
			if got, _ := w.search(by, store.Search{Senders: []string{store.DeletedUserID}}, 100); len(got) != 0 {
				t.Errorf("%s: %d messages are those of a deleted account", when, len(got))
			}
		}
	}
	check("before", true)
	w.db.Clock.Advance(time.Second)
	w.write(func(tx *store.Tx) error { return tx.Freeze(w.Cleo.ID) })
	check("it has begun", true)
	w.write(func(tx *store.Tx) error {
		a, err := tx.Authored(w.Cleo.ID)
		if err == nil {
			_, err = tx.Redact(a)
		}
		return err
	})
	check("it is read as deleted", false)
	scrubAccount(t, w.db, w.Cleo.ID, 1000)
}
