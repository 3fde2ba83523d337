//go:build linux

package app_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/account"
	"hearth/store"
	"hearth/store/storetest"
)

// The server is killed while it deletes an account. After the next start the
// account is as it was, unless the deletion was acknowledged, or all its messages
// are read as deleted; and in the end nothing of a deleted account is left.
func TestServerKilledDuringDeletion(t *testing.T) {
	t.Parallel() // most of it is waiting
	rounds := storetest.Rounds(2, 100)
	const messages = 300
	program, path := storetest.Program(t), filepath.Join(t.TempDir(), "hearth.db")
	reader := clients(t, path, 1)[0]
	db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	deleted := make([]*doomed, rounds)
	for i := range deleted {
		deleted[i] = newDoomed(t, db, reader, i, messages)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var acked, whole, gone int
	for i, d := range deleted {
		p := serve(t, exec.Command(program, serveArgs(path)...))
		token := d.signIn(t, p)
		done := make(chan int, 1)
		go func() { done <- deleteMe(t, p, token) }()
		wait := time.Duration(rand.ExpFloat64() * float64(40*time.Millisecond))
		if i%3 == 2 {
			wait = time.Minute // it is killed once it has answered
		}
		select {
		case <-time.After(wait):
		case status := <-done:
			done <- status
		}
		p.kill()
		status := <-done
		p = serve(t, exec.Command(program, serveArgs(path)...))
		live, unread := d.seen(t, p, reader)
		access := p.ask(&client{key: token}, "GET", "/api/auth/me", nil).status
		switch {
		case live == 0 && unread == 0 && access == http.StatusUnauthorized && (status == 0 || status == http.StatusNoContent):
			gone++
		case live == messages && unread == messages && access == http.StatusOK && status == 0:
			whole++
		default:
			t.Errorf("round %d: after the answer %d, %d messages, %d unread, and the account is answered %d", i, status, live, unread, access)
		}
		if status == http.StatusNoContent {
			acked++
		}
		d.gone = live == 0
		p.kill()
	}
	t.Logf("%d kills: %d deletions acknowledged, %d accounts read as deleted, %d as they were", rounds, acked, gone, whole)
	finishDeletions(t, path, deleted)
}

// doomed is an account that is deleted, with messages in a group with a reader.
type doomed struct {
	id, email, word, conversation, link string
	gone                                bool
}

func newDoomed(t *testing.T, db *store.DB, reader *client, i, messages int) *doomed {
	t.Helper()
	d := &doomed{email: fmt.Sprintf("doomed%d@example.org", i), word: fmt.Sprintf("zirbelkiefer%dx", i)}
	err := db.Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.InsertUser(store.User{Email: d.email, Name: d.word, VerifiedAt: tx.Now, SignupProvider: "magic-link"})
		if err != nil {
			return err
		}
		d.id = u.ID
		d.conversation, err = tx.InsertGroup(u.ID, []string{reader.userID}, "Group")
		for n := range messages {
			if err == nil {
				tx.Now = tx.Tick()
				err = tx.Send(&store.Message{ConversationID: d.conversation, SenderID: u.ID, Content: fmt.Sprint(d.word, " ", n), Type: "text"}, nil)
			}
		}
		return err
	})
	accounts, accountErr := account.New(account.Config{DB: db, BaseURL: "http://127.0.0.1", Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = accountErr
	}
	if err == nil {
		d.link, err = accounts.LinkFor(context.Background(), d.email, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *doomed) signIn(t *testing.T, p *process) string {
	t.Helper()
	_, secret, _ := bytes.Cut([]byte(d.link), []byte("token="))
	var got struct {
		Token string `json:"token"`
	}
	d.fetch(t, p, nil, "POST", "/api/auth/magic-link/verify", map[string]string{"token": string(secret)}, &got)
	return got.Token
}

// deleteMe returns the status of the response; 0 without one.
func deleteMe(t *testing.T, p *process, token string) int {
	req, err := http.NewRequest("DELETE", p.base+"/api/auth/me", nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := p.client.Do(req)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// fetch sends a request whose response must be a 200 with JSON.
func (d *doomed) fetch(t *testing.T, p *process, who *client, method, path string, body, to any) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, p.base+path, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if who != nil {
		req.Header.Set("Authorization", "Bearer "+who.key)
	}
	res, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.UnmarshalRead(res.Body, to); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, res.StatusCode, err)
	}
}

// seen returns how many messages of the account the reader finds, and how many
// are unread.
func (d *doomed) seen(t *testing.T, p *process, reader *client) (live, unread int) {
	t.Helper()
	before := ""
	for more := true; more; {
		var page struct {
			Messages []struct {
				SenderID  string     `json:"senderId"`
				Content   string     `json:"content"`
				CreatedAt string     `json:"createdAt"`
				DeletedAt *time.Time `json:"deletedAt"`
			} `json:"messages"`
			HasMore bool `json:"hasMore"`
		}
		d.fetch(t, p, reader, "GET", "/api/chat/conversations/"+d.conversation+"/messages?limit=100"+before, nil, &page)
		for _, m := range page.Messages {
			alive := m.SenderID == d.id && m.Content != "" && m.DeletedAt == nil
			if !alive && (m.SenderID != store.DeletedUserID || m.Content != "" || m.DeletedAt == nil) {
				t.Errorf("half a deletion: %+v", m)
			}
			if alive {
				live++
			}
		}
		if more = page.HasMore; more {
			before = "&before=" + page.Messages[0].CreatedAt
		}
	}
	var c struct {
		UnreadCount int `json:"unreadCount"`
	}
	d.fetch(t, p, reader, "GET", "/api/chat/conversations/"+d.conversation, nil, &c)
	return live, c.UnreadCount
}

// finishDeletions looks for what is left of the accounts.
func finishDeletions(t *testing.T, path string, all []*doomed) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t), Now: func() time.Time { return time.Now().Add(time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	settleDeletions(t, db)
	if broken, err := db.Check(ctx); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := store.ReadLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	inLedger := map[string]bool{}
	for _, e := range ledger {
		inLedger[e.UserID] = true
	}
	for _, d := range all {
		words := bytes.Count(file, []byte(d.word))
		if d.gone != inLedger[d.id] || d.gone != (words == 0) {
			t.Errorf("%s: deleted %v, in the ledger %v, its word is in the file %d times", d.email, d.gone, inLedger[d.id], words)
		}
	}
}
