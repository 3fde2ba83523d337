package app_test

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/fetch"
	"hearth/app/push"
	"hearth/app/push/pushtest"
	"hearth/store"
	"hearth/store/storetest"
)

// Messages in many conversations are sent to a browser through a push service that often fails, while the server is
// killed: the notification of each arrives.
func TestPushFaults(t *testing.T) {
	t.Parallel() // most of it is waiting
	const rounds = 4
	path := filepath.Join(t.TempDir(), "hearth.db")
	people := clients(t, path, storetest.Rounds(60, 1000)/rounds*rounds)
	s := pushtest.New()
	defer s.Close()
	s.Answer = func(rw http.ResponseWriter, _ pushtest.Message, n int) {
		if n%4 == 0 {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		rw.WriteHeader(http.StatusCreated)
	}
	phone := s.Subscribe("Phone")
	subscribeOwner(t, path, phone, people)
	var p *process
	for round := range rounds {
		cmd := exec.Command(testProgram(t), "-test.run=^TestWebhookServer$")
		cmd.Env = []string{webhookEnv + "=" + path}
		p = serve(t, cmd)
		sendAll(t, p, people[round*len(people)/rounds:(round+1)*len(people)/rounds], 1)
		if round < rounds-1 {
			p.kill()
		}
	}
	missing := func() (n int) {
		var all strings.Builder
		for _, m := range s.Messages(phone) {
			all.WriteString(m.Text)
		}
		for _, who := range people {
			if !strings.Contains(all.String(), who.acked[0]) {
				n++
			}
		}
		return n
	}
	for range 3 * 60 * 10 {
		if missing() == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.kill()
	if n := missing(); n > 0 {
		t.Errorf("%d of %d were lost", n, len(people))
	}
}

// subscribeOwner adds an account that is notified of all messages in all conversations.
func subscribeOwner(t *testing.T, path string, phone *pushtest.Browser, people []*client) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var by store.Viewer
	err = db.Write(ctx, func(tx *store.Tx) error {
		owner, err := tx.InsertUser(store.User{Email: "owner@example.org", Name: "Owner", VerifiedAt: tx.Now, SignupProvider: "magic-link"})
		by = storetest.Human(owner)
		for _, who := range people {
			if err == nil {
				err = tx.AddMember(who.conversation, owner.ID, "member")
			}
			if err == nil {
				err = tx.SetNotify(by, who.conversation, "all")
			}
		}
		if err == nil {
			by.SessionID = "phone"
			_, err = tx.InsertSession(store.Session{ID: by.SessionID, UserID: owner.ID, Kind: "browser", Epoch: owner.Epoch,
				ExpiresAt: tx.Now.Add(time.Hour)})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dialer, err := fetch.NewDialer([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	service, err := push.New(ctx, push.Config{DB: db, Fetch: fetch.NewClient(dialer, fetch.Options{}), BaseURL: "https://hearth.test"})
	if err != nil {
		t.Fatal(err)
	}
	var in push.CreateSubscriptionIn
	if err := json.Unmarshal([]byte(phone.JSON()), &in); err != nil {
		t.Fatal(err)
	}
	if _, err := service.CreateSubscription.Call(ctx, by, in); err != nil {
		t.Fatal(err)
	}
}
