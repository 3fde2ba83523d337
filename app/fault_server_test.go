//go:build linux

package app_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/account"
	"hearth/store"
	"hearth/store/storetest"
)

// client is an account with an agent key and a conversation, which records
// acknowledged messages.
type client struct {
	userID, key, conversation string

	mu      sync.Mutex
	acked   []string // ids of messages
	pending string   // id of the message without a response
}

// clients creates n clients in a new database file.
func clients(t testing.TB, path string, n int) []*client {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	accounts, err := account.New(account.Config{DB: db, BaseURL: "http://127.0.0.1", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var all []*client
	for i := range n {
		p := &client{}
		err := db.Write(ctx, func(tx *store.Tx) error {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("p%d@example.org", i), Name: "Talker", VerifiedAt: tx.Now,
				SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			p.userID = u.ID
			p.conversation, err = tx.InsertGroup(u.ID, nil, "Group")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		made, err := accounts.CreateAgentKey.Call(ctx, storetest.Human(store.User{ID: p.userID}), account.CreateAgentKeyIn{Name: "client"})
		if err != nil {
			t.Fatal(err)
		}
		p.key = made.Key
		all = append(all, p)
	}
	return all
}

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	base   string
	client *http.Client
	ended  chan error
	log    *bytes.Buffer // stderr; read it after the end
}

// serve starts the server and returns when it has printed its address.
func serve(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, ended: make(chan error, 1), log: &bytes.Buffer{}}
	p.client = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = p.log
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HEARTH_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	// Faults come quickly, and some disks of theirs are small.
	cmd.Env = append(cmd.Env, "HEARTH_RATE_LIMITS=off", "HEARTH_DISK_RESERVE=1")
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
		storetest.Without(t, "cannot mount a file system here: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for p.base == "" && lines.Scan() {
		if at := strings.Index(lines.Text(), "http://"); at >= 0 {
			p.base = strings.Fields(lines.Text()[at:])[0]
		}
	}
	go func() {
		io.Copy(io.Discard, out)
		p.ended <- cmd.Wait()
	}()
	t.Cleanup(func() { p.kill() })
	if p.base == "" {
		t.Fatalf("the server did not start: %v\n%s", <-p.ended, p.log)
	}
	return p
}

// kill kills the process, and what traces it, and waits for its end.
func (p *process) kill() error {
	p.client.CloseIdleConnections()
	select {
	case err, ok := <-p.ended:
		if ok {
			close(p.ended)
		}
		return err
	default:
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	err := <-p.ended
	close(p.ended)
	return err
}

// serveArgs are the arguments of a server that takes writes at any rate, and to the
// end of its disk.
func serveArgs(path string) []string {
	return []string{"serve", "--db", path, "--addr", "127.0.0.1:0", "--rate-limits", "off", "--disk-reserve", "0"}
}

// answered is the response to a request; status is 0 without one.
type answered struct {
	status int
	body   struct {
		ID, Code string
		Messages []struct{ ID string }
	}
	retryAfter string
}

func (p *process) ask(who *client, method, path string, body any) (a answered) {
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		send = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, p.base+path, send)
	if err != nil {
		panic(err)
	}
	if who != nil {
		req.Header.Set("Authorization", "Bearer "+who.key)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.client.Do(req)
	if err != nil {
		return a
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode < 500 && path != "/health" && json.Unmarshal(b, &a.body, json.MatchCaseInsensitiveNames(true)) != nil {
		return a
	}
	if res.StatusCode >= 500 {
		json.Unmarshal(b, &a.body, json.MatchCaseInsensitiveNames(true))
	}
	a.status, a.retryAfter = res.StatusCode, res.Header.Get("Retry-After")
	return a
}

// send sends the pending message, or a new one. The message is pending until
// there is a response.
func (p *process) send(who *client) answered {
	who.mu.Lock()
	defer who.mu.Unlock()
	id := who.pending
	if id == "" {
		id = store.NewID()
	}
	who.pending = id
	a := p.ask(who, "POST", "/api/chat/conversations/"+who.conversation+"/messages",
		map[string]string{"id": id, "content": "a message of some length, as people write them: " + id})
	if a.status == http.StatusCreated || a.status == http.StatusOK {
		who.acked, who.pending = append(who.acked, id), ""
	}
	return a
}

// newest returns the ids on the newest page, in order.
func (p *process) newest(who *client) (answered, []string) {
	a := p.ask(who, "GET", "/api/chat/conversations/"+who.conversation+"/messages?limit=100", nil)
	var ids []string
	for _, m := range a.body.Messages {
		ids = append(ids, m.ID)
	}
	return a, ids
}

// checkMessages opens the file of a stopped server and looks for every
// acknowledged message.
func checkMessages(t *testing.T, path string, people []*client) (total int) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if broken, err := db.Check(ctx); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
	for _, who := range people {
		err := db.Read(ctx, func(r *store.Reader) error {
			messages, err := r.Messages(store.Viewer{UserID: who.userID}, who.conversation, 0, 1<<30)
			there := map[string]bool{}
			for _, m := range messages {
				there[m.ID] = true
			}
			for _, id := range who.acked {
				if !there[id] {
					t.Errorf("acknowledged message %s is missing", id)
				}
				delete(there, id)
			}
			if delete(there, who.pending); len(there) > 0 {
				t.Errorf("%d messages that were not sent", len(there))
			}
			total += len(who.acked)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return total
}
