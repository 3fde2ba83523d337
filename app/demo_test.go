package app_test

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearth/app"
	"hearth/app/demo"
	"hearth/store"
	"hearth/store/storetest"
)

// seedDemo creates a database with sample data and returns its path and its messages,
// with their times.
func seedDemo(t *testing.T, seed uint64, now time.Time) (path string, messages string, info demo.Info) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "demo.db")
	info, err := demo.Seed(context.Background(), path, storetest.Schema(t), seed, now)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.QueryRow(`SELECT group_concat(content || created_at / 1000000, char(10) ORDER BY created_at) FROM message`).Scan(&messages)
	if err != nil {
		t.Fatal(err)
	}
	return path, messages, info
}

// The same seed creates the same messages at the same times, another seed different ones,
// and the invariants hold.
func TestSeedIsDeterministic(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC)
	path, a, info := seedDemo(t, 7, now)
	_, b, _ := seedDemo(t, 7, now)
	_, c, _ := seedDemo(t, 8, now)
	if a != b {
		t.Error("the same seed gave different messages")
	}
	if a == c {
		t.Error("another seed gave the same messages")
	}
	if len(info.People) < 12 || info.Conversations < 8 || info.Messages < 120 || info.Lists != 8 || info.Items < 40 {
		t.Errorf("got %+v", info)
	}
	if _, err := demo.Seed(context.Background(), path, storetest.Schema(t), 7, now); err == nil || !strings.Contains(err.Error(), "--db") {
		t.Errorf("seeding twice: %v", err)
	}
	db, err := store.Open(context.Background(), path, store.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	broken, err := db.Check(context.Background())
	if err != nil || len(broken) > 0 {
		t.Errorf("broken: %q, %v", broken, err)
	}
	err = db.Read(context.Background(), func(r *store.Reader) error {
		return checkDemo(r, t, store.Viewer{UserID: info.People[0].ID}, store.TimeOf(now))
	})
	if err != nil {
		t.Error(err)
	}
}

// checkDemo checks that the sample data shows the features: unread messages,
// replies, an edited and a deleted one, nothing from the future.
func checkDemo(r *store.Reader, t *testing.T, me store.Viewer, now store.Time) error {
	unread, _, err := r.UnreadTotal(me)
	if err != nil || unread < 5 || unread > 15 {
		t.Errorf("%d unread", unread)
	}
	all, err := r.Conversations(me, 0, 200)
	if err != nil {
		return err
	}
	var edited, deleted, replies, files, direct, alone int
	for _, c := range all {
		messages, err := r.Messages(me, c.ID, 0, 500)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if m.CreatedAt > now || (m.Content == "" && m.Attachments == "" && m.Type == "text") != (m.DeletedAt != 0) {
				t.Errorf("unexpected message %+v", m)
			}
			edited += btoi(m.EditedAt != 0)
			deleted += btoi(m.DeletedAt != 0)
			replies += btoi(m.ReplyToID != "")
			files += btoi(m.Attachments != "")
		}
		members, err := r.Members(me, c.ID)
		if err != nil {
			return err
		}
		direct += btoi(c.Type == "direct")
		alone += btoi(len(members) == 1)
	}
	if edited < 2 || deleted < 1 || replies < 10 || files < 8 || direct < 3 || alone != 1 {
		t.Errorf("%d edited, %d deleted, %d replies, %d with files, %d direct, %d notes to self", edited, deleted, replies, files, direct, alone)
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A server on a seeded file shows it to guests, and its people can sign in.
func TestServeSeeded(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC)
	path, _, info := seedDemo(t, 1, now)
	log := &storetest.Buffer{}
	a, err := app.New(context.Background(), app.Config{
		DB: path, Schema: storetest.Schema(t), BaseURL: "http://hearth.test", Now: func() time.Time { return now },
		Log: slog.New(slog.NewTextHandler(log, nil)), Out: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if claim, err := a.ClaimURL(context.Background()); claim != "" || err != nil {
		t.Errorf("no administrator: %q, %v", claim, err)
	}
	w := &world{t: t, app: a, h: a.Handler(), tokens: map[string]string{}}
	guest := w.do("anonymous", "GET", "/", nil, "")
	for _, words := range []string{"Soups for grey days", "كتب نحبها", "The night sky until spring"} {
		if !strings.Contains(guest.raw, words) {
			t.Errorf("a guest does not see %q", words)
		}
	}
	for _, words := range []string{"Seeds to order", "do not tell Layla", "Game night"} {
		if strings.Contains(guest.raw, words) {
			t.Errorf("a guest is shown %q", words)
		}
	}
	if link, err := a.SignInURL(context.Background(), info.People[0].Email); err != nil || !strings.Contains(link, "/login/verify") {
		t.Errorf("no sign-in for %+v: %q, %v", info.People[0], link, err)
	}
}
