package app_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/account"
	"hearth/store"
	"hearth/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// world is a server with its own file and a cast with every kind of credential.
type world struct {
	t      testing.TB
	app    *app.App
	h      http.Handler
	clock  *store.ManualClock
	cast   storetest.Cast
	ids    map[string]string // "$id:name" -> id
	tokens map[string]string // who -> bearer token
	log    *storetest.Buffer
	reader rowReader
	// canaries maps words planted in private texts to the members of the cast who
	// may read them. Every response is searched for them.
	canaries map[string][]string
	// keyless are canaries that not even keys and embedded sessions of those who
	// may read them receive.
	keyless []string
	// admins are those who have become administrators besides root: they may read
	// what root may.
	admins []string
}

// plant returns a word that only the given people, including their keys, may
// receive.
func (w *world) plant(what string, who ...string) string {
	word := fmt.Sprintf("canary%s%d", what, len(w.canaries))
	w.canaries[word] = who
	return word
}

// checkCanaries reports canaries in a response to a caller who may not read
// them.
func (w *world) checkCanaries(who, what, raw string) {
	w.t.Helper()
	name, _, _ := strings.Cut(who, "/")
	for word, may := range w.canaries {
		allowed := slices.Contains(may, name) || slices.Contains(may, "root") && slices.Contains(w.admins, who)
		if strings.Contains(raw, word) && (!allowed || name != who && slices.Contains(w.keyless, word)) {
			w.t.Errorf("%s received %q from %s:\n%s", who, word, what, raw)
		}
	}
}

// checkAddresses reports the e-mail address of one of the cast in a response to
// another caller. The bridge knows it, administrators see it where they manage
// accounts, and a sign-in has just proven it.
func (w *world) checkAddresses(who, what, raw string) {
	w.t.Helper()
	name, _, _ := strings.Cut(who, "/")
	admin := who == "root" || slices.Contains(w.admins, who)
	if who == "bridge" || admin && strings.Contains(what, "/admin/") || strings.HasSuffix(what, "/api/auth/magic-link/verify") {
		return
	}
	for of, u := range map[string]store.User{"ada": w.cast.Ada, "ben": w.cast.Ben, "cleo": w.cast.Cleo, "stranger": w.cast.Stranger} {
		if of != name && u.Email != "" && strings.Contains(raw, u.Email) {
			w.t.Errorf("%s received the address of %s from %s:\n%s", who, of, what, raw)
		}
	}
}

const (
	testBridgeSecret = "bridge-secret-of-the-tests-0123456789"
	testPublicKey    = "public-agent-key-of-the-tests"
)

// newWorld starts a server and creates its cast. with changes its settings.
func newWorld(t testing.TB, with ...func(*app.Config)) *world {
	t.Helper()
	w := &world{clock: store.NewManualClock(storetest.Epoch), ids: map[string]string{}, tokens: map[string]string{},
		canaries: map[string][]string{}}
	w.start(t, filepath.Join(t.TempDir(), "hearth.db"), with...)
	w.cast = storetest.People(t, &storetest.DB{DB: w.app.DB(), Clock: w.clock})
	for name, u := range map[string]store.User{"ada": w.cast.Ada, "ben": w.cast.Ben, "cleo": w.cast.Cleo, "stranger": w.cast.Stranger} {
		w.ids["$id:"+name] = u.ID
	}
	w.tokens["public"] = testPublicKey
	w.tokens["bridge"] = testBridgeSecret
	w.tokens["bad"] = "oc_" + strings.Repeat("x", 49)
	return w
}

// start starts the server of w for t, with the file at path. with changes its
// settings.
func (w *world) start(t testing.TB, path string, with ...func(*app.Config)) {
	t.Helper()
	w.t, w.log = t, &storetest.Buffer{}
	cfg := app.Config{
		DB: path, Schema: storetest.Schema(t),
		BaseURL: "http://hearth.test", BridgeSecret: testBridgeSecret, PublicKey: testPublicKey,
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Out: w.log, Now: w.clock.Now, Version: "test", ContextLane: true,
		NoRateLimits: true, // the clock stands still
		DiskReserve:  1,    // whatever the disk of the tests has
		// These tests are not about durability, so do not wait for the disk.
		Store: store.Options{Synchronous: "OFF", OnPrepare: storetest.Inspect(t)},
	}
	for _, change := range with {
		change(&cfg)
	}
	a, err := app.New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.app, w.h = a, a.Handler()
	t.Cleanup(func() {
		broken, err := a.DB().Check(context.Background())
		if err != nil {
			t.Errorf("invariants: %v", err)
		}
		for _, b := range broken {
			t.Error(b)
		}
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		storetest.CheckRecent(t, a.DB().Path())
		w.checkCanaries("the log", "what the server wrote", w.log.String())
		for who, token := range w.tokens {
			if len(token) > 40 && strings.Contains(w.log.String(), token) {
				t.Errorf("the log contains the token of %s", who)
			}
		}
	})
	w.openRows(t, path)
}

// snapshot returns the database of w, for copies of w.
func (w *world) snapshot() []byte {
	w.t.Helper()
	to := filepath.Join(w.t.TempDir(), "snapshot.db")
	if _, err := store.MakeBackup(context.Background(), w.app.DB(), to, w.clock.Now(), nil); err != nil {
		w.t.Fatal(err)
	}
	db, err := os.ReadFile(to)
	if err != nil {
		w.t.Fatal(err)
	}
	return db
}

// copy starts another server, with the snapshot db of w. with changes its
// settings.
func (w *world) copy(t testing.TB, db []byte, with ...func(*app.Config)) *world {
	t.Helper()
	c := &world{
		clock: store.NewManualClock(w.clock.Now()), cast: w.cast,
		ids: maps.Clone(w.ids), tokens: maps.Clone(w.tokens), canaries: maps.Clone(w.canaries),
	}
	path := filepath.Join(t.TempDir(), "hearth.db")
	if err := os.WriteFile(path, db, 0o600); err != nil {
		t.Fatal(err)
	}
	c.start(t, path, with...)
	return c
}

// response is a response to a request.
type response struct {
	status int
	header http.Header
	body   []byte
	raw    string // headers and body as text, for must-not-contain
}

// do sends a request as one of the cast, with a bearer token unless header has a credential.
func (w *world) do(who, method, path string, header http.Header, body string) response {
	w.t.Helper()
	if method == "TOOL" {
		return w.tool(who, path, body)
	}
	body, kind := formOf(w.t, body)
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.RemoteAddr = "192.0.2.7:1234"
	if path == "/mcp" {
		req.Host = "hearth.test" // it is checked there
	}
	for k, vs := range header {
		req.Header[http.CanonicalHeaderKey(k)] = vs
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if _, given := header["Authorization"]; who != "anonymous" && !given {
		req.Header.Set("Authorization", "Bearer "+w.token(who))
	}
	rec := httptest.NewRecorder()
	w.h.ServeHTTP(rec, req)
	if err := w.app.Settle(context.Background()); err != nil {
		w.t.Error(err)
	}
	var raw bytes.Buffer
	rec.Header().Write(&raw)
	raw.Write(rec.Body.Bytes())
	w.checkCanaries(who, method+" "+path, raw.String())
	w.checkAddresses(who, method+" "+path, raw.String())
	res := response{status: rec.Code, header: rec.Header(), body: rec.Body.Bytes(), raw: raw.String()}
	w.fitsSpec(method, path, res)
	return res
}

// token returns a bearer token of the cast, created on first use: "ada" is her user
// token, and "ada/embedded" a token of an embedded session. "ada/read", "ada/write"
// and "ada/rw" are agent keys with those scopes. "ada/bot" is a key that acts as a
// bot of hers, and "ada/list" is her personal list key. "root" is an administrator,
// who has an account from the first use on. "public" is the public agent key,
// "bridge" the secret of the bridge, and "bad" is not valid.
func (w *world) token(who string) string {
	w.t.Helper()
	if token, ok := w.tokens[who]; ok {
		return token
	}
	name, kind, _ := strings.Cut(who, "/")
	var got struct{ Token, Key string }
	ask := func(as, path, body string, status int) {
		res := w.json(as, "POST", path, body)
		if res.status != status {
			w.t.Fatalf("no credential for %q: %d %s", who, res.status, res.body)
		}
		if err := json.Unmarshal(res.body, &got, json.MatchCaseInsensitiveNames(true)); err != nil {
			w.t.Fatal(err)
		}
	}
	scopes := map[string]string{"read": `"read"`, "write": `"write"`, "rw": `"read","write"`}[kind]
	if who == "root" {
		w.addRoot()
	}
	switch {
	case kind == "":
		link, err := w.app.Account.LinkFor(context.Background(), name+"@example.org", false)
		if err != nil {
			w.t.Fatal(err)
		}
		_, token, _ := strings.Cut(link, "token=")
		ask("anonymous", "/api/auth/magic-link/verify", `{"token":"`+token+`"}`, 200)
	case kind == "embedded":
		ask(name, "/api/auth/token", `{"embedded":true}`, 200)
	case scopes != "":
		ask(name, "/api/agent-keys", `{"name":"`+kind+`","agentName":"Helper","scopes":[`+scopes+`]}`, 201)
	case kind == "bot":
		ask(name, "/api/agent-keys", `{"name":"bot","bot":{"name":"`+name+`'s bot"}}`, 201)
	case kind == "list":
		v, err := w.app.Account.Caller(w.bearerOf(name))
		if err != nil {
			w.t.Fatal(err)
		}
		k, err := w.app.Account.CreateListKey.Call(context.Background(), v, account.CreateListKeyIn{Name: "lists"})
		if err != nil {
			w.t.Fatal(err)
		}
		got.Key = k.Key
	default:
		w.t.Fatalf("%q is not of the cast", who)
	}
	w.tokens[who] = got.Token + got.Key
	if got.Token != "" { // their arrival is stored before their first request, so that writes have the same times in each run
		if _, err := w.app.Account.TokenCaller(context.Background(), got.Token); err != nil {
			w.t.Fatal(err)
		}
		w.app.Account.AwaitPresence()
	}
	return w.tokens[who]
}

// bearerOf returns a request with the credential of one of the cast.
func (w *world) bearerOf(who string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": {"Bearer " + w.token(who)}}}
}

// addRoot adds the administrator.
func (w *world) addRoot() {
	w.t.Helper()
	err := w.app.DB().Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.InsertUser(store.User{Email: "root@example.org", Name: "Root", IsAdmin: true, VerifiedAt: tx.Now,
			SignupProvider: "magic-link"})
		w.ids["$id:root"] = u.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// json sends a request with a JSON body.
func (w *world) json(who, method, path, body string) response {
	w.t.Helper()
	h := http.Header{}
	if body != "" {
		h.Set("Content-Type", "application/json")
	}
	return w.do(who, method, path, h, body)
}

func (w *world) turnClock(by string) {
	if by == "" {
		return
	}
	d, err := time.ParseDuration(by)
	if err != nil {
		w.t.Fatalf("@ %s: %v", by, err)
	}
	w.clock.Advance(d)
}
