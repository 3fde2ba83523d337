package account

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

func claimToken(t *testing.T, h *harness) string {
	t.Helper()
	url, err := h.ClaimURL(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	_, token, ok := strings.Cut(url, "http://hearth.test/claim?token=")
	if !ok {
		t.Fatalf("the link is %q", url)
	}
	return token
}

func TestClaim(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	stale, token := claimToken(t, h), claimToken(t, h)
	for name, wrong := range map[string]string{"an earlier one": stale, "another": "x", "its hash": core.Digest(token)} {
		_, err := h.Claim.Call(ctx, store.Viewer{}, ClaimIn{Token: wrong, Name: "Root"})
		wantCode(t, name, err, "invalid_claim")
		wantCode(t, name+", CanClaim", h.CanClaim(ctx, wrong), "invalid_claim")
	}
	wantCode(t, "CanClaim", h.CanClaim(ctx, token), "")
	_, err := h.Claim.Call(ctx, store.Viewer{}, ClaimIn{Token: token, Name: "Root", Email: "no address"})
	wantCode(t, "a bad address", err, "invalid_input")

	var wg sync.WaitGroup
	var mu sync.Mutex
	won := []string{}
	for range 20 {
		wg.Go(func() {
			id, err := h.Claim.Call(ctx, store.Viewer{}, ClaimIn{Token: token, Name: "Root"})
			if err == nil {
				mu.Lock()
				won = append(won, id.UserID)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d callers claimed the server", len(won))
	}
	b := &browser{h: h}
	b.signIn(won[0])
	if v := b.caller(); !v.Admin || v.UserID != won[0] {
		t.Errorf("got %+v", v)
	}
	wantCode(t, "the link again", h.CanClaim(ctx, token), "invalid_claim")
	if url, err := h.ClaimURL(ctx); url != "" || err != nil {
		t.Errorf("ClaimURL with an admin: got %q, %v", url, err)
	}
}

func TestLinkFor(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	for range maxLiveLinks {
		h.ask("ada@example.org")
	}
	url, err := h.LinkFor(ctx, "ADA@example.org", false)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(url, "http://hearth.test/login/verify?token=")
	if out, err := h.verify(VerifyMagicLinkIn{Token: token}); err != nil || out.User.ID != h.cast.Ada.ID {
		t.Errorf("got %+v, %v", out, err)
	}
	_, err = h.LinkFor(ctx, "nobody@example.org", false)
	wantCode(t, "unknown", err, "no_account")
	if h.hasUser("nobody@example.org") {
		t.Error("an account was created")
	}
	_, err = h.LinkFor(ctx, "nobody", true)
	wantCode(t, "no address", err, "invalid_input")
	if err := h.Act(ctx, "ben@example.org", Suspend); err != nil {
		t.Fatal(err)
	}
	_, err = h.LinkFor(ctx, "ben@example.org", true)
	wantCode(t, "suspended", err, "account_suspended")
}

// An administrator's link signs in once, and is in the audit log.
func TestSignInLink(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	root := store.Viewer{Kind: store.Human, UserID: h.cast.Ben.ID, Admin: true, CanRead: true, CanWrite: true}
	link, err := h.CreateSignInLink.Call(ctx, root, core.ByID{ID: h.cast.Ada.ID})
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(link.URL, "http://hearth.test/login/verify?token=")
	if out, err := h.verify(VerifyMagicLinkIn{Token: token}); err != nil || out.User.ID != h.cast.Ada.ID {
		t.Errorf("got %+v, %v", out, err)
	}
	_, err = h.verify(VerifyMagicLinkIn{Token: token})
	wantCode(t, "the link again", err, "invalid_link")
	member := root
	member.Admin = false
	_, err = h.CreateSignInLink.Call(ctx, member, core.ByID{ID: h.cast.Ada.ID})
	wantCode(t, "by a member", err, "admin_only")
	if err := h.Act(ctx, "ada@example.org", Suspend); err != nil {
		t.Fatal(err)
	}
	_, err = h.CreateSignInLink.Call(ctx, root, core.ByID{ID: h.cast.Ada.ID})
	wantCode(t, "suspended", err, "account_suspended")
}

func TestListUsers(t *testing.T) {
	h := open(t)
	var got []string
	after := ""
	for {
		page, err := h.ListUsers(context.Background(), after, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, u := range page {
			got = append(got, u.Name)
			after = u.Email
		}
	}
	if s := strings.Join(got, ","); s != "Ada,Ben,Cléo 🌿,غريب,Xq,Yq,Zq" { // the last ones of the crowd
		t.Errorf("got %s", s)
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	hash, err := h.HashPassword(ctx, " twelve characters ")
	if err != nil {
		t.Fatal(err)
	}
	h.change("ada@example.org", func(u *store.User, _ store.Time) { u.PasswordHash = hash })
	login := func(email, password string) (TokenOut, error) {
		return h.Login.Call(ctx, store.Viewer{IP: core.NewSecret(6)}, LoginIn{Email: email, Password: password})
	}
	out, err := login("ADA@example.org", " twelve characters ")
	if err != nil || out.ExpiresIn != 7*24*3600 {
		t.Fatalf("got %+v, %v", out, err)
	}
	if v, err := h.bearer(out.Token); err != nil || v.UserID != h.cast.Ada.ID {
		t.Errorf("the token is %+v, %v", v, err)
	}
	first := ""
	for name, in := range map[string]LoginIn{
		"wrong":           {Email: "ada@example.org", Password: "twelve characters"},
		"no such account": {Email: "nobody@example.org", Password: "twelve characters"},
		"no password":     {Email: "ben@example.org", Password: "twelve characters"},
		"the hash":        {Email: "ada@example.org", Password: hash},
		"the dummy hash":  {Email: "ben@example.org", Password: dummyHash},
	} {
		_, err := login(in.Email, in.Password)
		wantCode(t, name, err, "invalid_credentials")
		if first == "" {
			first = err.Error()
		} else if err.Error() != first {
			t.Errorf("%s: a different error: %v", name, err)
		}
	}
	for _, in := range []LoginIn{{Email: "ada@example.org"}, {Password: "x"}, {Email: "x", Password: "x"},
		{Email: "ada@example.org", Password: strings.Repeat("x", 1001)}} {
		_, err := login(in.Email, in.Password)
		wantCode(t, "incomplete", err, "invalid_input")
	}
	if err := h.Act(ctx, "ada@example.org", Suspend); err != nil {
		t.Fatal(err)
	}
	_, err = login("ada@example.org", " twelve characters ")
	wantCode(t, "suspended", err, "account_suspended")
	_, err = login("ada@example.org", "wrong")
	wantCode(t, "suspended and wrong", err, "invalid_credentials")
}

// After ten wrong passwords for an address, the network they came from waits a minute.
// The owner, who signs in from a different network, does not wait.
func TestLoginRateLimit(t *testing.T) {
	t.Parallel()
	h := open(t)
	login := func(email, ip string) error {
		_, err := h.Login.Call(context.Background(), store.Viewer{IP: ip}, LoginIn{Email: email, Password: "x"})
		return err
	}
	for range 10 {
		wantCode(t, "a wrong password", login("ADA@example.org", "a"), "invalid_credentials")
	}
	err := login("ada@example.org", "a")
	wantCode(t, "the eleventh", err, "too_many_tries")
	if wait := core.As(err).RetryAfter; wait != time.Minute {
		t.Errorf("RetryAfter is %v", wait)
	}
	wantCode(t, "another network", login("ada@example.org", "b"), "invalid_credentials")
	wantCode(t, "another address", login("ben@example.org", "a"), "invalid_credentials")
	h.db.Clock.Advance(time.Minute)
	wantCode(t, "a minute later", login("ada@example.org", "a"), "invalid_credentials")
}

func TestSecretsPersist(t *testing.T) {
	h := open(t)
	token := h.token("ada@example.org")
	other, err := New(Config{DB: h.db.DB, Mail: h.cfg.Mail, BaseURL: "http://elsewhere.test"})
	if err != nil {
		t.Fatal(err)
	}
	again := &harness{Service: other, t: t, db: h.db}
	if _, err := again.bearer(token); err != nil {
		t.Errorf("a token issued before the restart: %v", err)
	}
	third, err := New(Config{DB: h.db.DB, Mail: h.cfg.Mail, BaseURL: "http://elsewhere.test", JWTSecret: strings.Repeat("x", 32)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&harness{Service: third, t: t, db: h.db}).bearer(token)
	wantCode(t, "with another secret", err, "unauthenticated")
	if other.PublicKey() == "" || other.PublicKey() != third.PublicKey() || other.PublicKey() == testPublicKey {
		t.Errorf("the public keys are %q and %q", other.PublicKey(), third.PublicKey())
	}
}

func TestConfigErrors(t *testing.T) {
	h := open(t)
	for name, cfg := range map[string]Config{
		"no base URL":  {},
		"a bare host":  {BaseURL: "hearth.example.org"},
		"another kind": {BaseURL: "ftp://hearth.example.org"},
		"sign-up":      {BaseURL: "http://hearth.test", Signup: "closed"},
		"short secret": {BaseURL: "http://hearth.test", JWTSecret: strings.Repeat("x", 31)},
		"short bridge": {BaseURL: "http://hearth.test", BridgeSecret: strings.Repeat("x", 31)},
	} {
		cfg.DB, cfg.Mail = h.db.DB, h.cfg.Mail
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	cfg := Config{DB: h.db.DB, Mail: h.cfg.Mail, BaseURL: "http://hearth.test", JWTSecret: strings.Repeat("x", 32),
		BridgeSecret: strings.Repeat("x", 32)}
	if _, err := New(cfg); err != nil {
		t.Errorf("the shortest secrets: %v", err)
	}
}

func TestSuspendLastAdmin(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	for _, email := range []string{"ada@example.org", "ben@example.org"} {
		if err := h.Act(ctx, email, Promote); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Act(ctx, "ada@example.org", Suspend); err != nil {
		t.Fatal(err)
	}
	token := h.token("ben@example.org")
	wantCode(t, "the last one", h.Act(ctx, "BEN@example.org", Suspend), "last_admin")
	wantCode(t, "a suspended one", h.Act(ctx, "ada@example.org", Suspend), "")
	if _, err := h.bearer(token); err != nil || h.user("ben@example.org").SuspendedAt != 0 {
		t.Errorf("a refused suspension changed the account: %v", err)
	}
	if err := h.Act(ctx, "ada@example.org", Restore); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "one of two", h.Act(ctx, "ben@example.org", Suspend), "")
}

func TestSuspendAdminsConcurrently(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	emails := []string{"ada@example.org", "ben@example.org"}
	for _, email := range emails {
		if err := h.Act(ctx, email, Promote); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		var wg sync.WaitGroup
		errs := make([]error, len(emails))
		for i, email := range emails {
			wg.Go(func() { errs[i] = h.Act(ctx, email, Suspend) })
		}
		wg.Wait()
		refused, suspended := 0, ""
		for i, err := range errs {
			if err == nil {
				suspended = emails[i]
				continue
			}
			wantCode(t, emails[i], err, "last_admin")
			refused++
		}
		if refused != 1 {
			t.Fatalf("%d of two suspensions were refused", refused)
		}
		if err := h.Act(ctx, suspended, Restore); err != nil {
			t.Fatal(err)
		}
	}
}

// auditOf returns the acts in the audit log, the newest first, as an administrator sees
// them.
func (h *harness) auditOf(admin string) (list []store.AuditEntry) {
	h.t.Helper()
	by := store.Viewer{Kind: store.Human, UserID: h.user(admin).ID, Admin: true, CanRead: true}
	err := h.db.Read(h.t.Context(), func(r *store.Reader) (err error) { list, err = r.AuditEntries(by, 0, 100); return err })
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// The command line takes the rights of an administrator from an account, but not from
// the only one, and each change is in the audit log.
func TestDemoteByCommand(t *testing.T) {
	h := open(t)
	for _, email := range []string{"ada@example.org", "ben@example.org"} {
		if err := h.Act(t.Context(), email, Promote); err != nil {
			t.Fatal(err)
		}
	}
	ben := h.as("ben@example.org")
	wantCode(t, "one of two", h.Act(t.Context(), "BEN@example.org", Demote), "")
	if h.user("ben@example.org").IsAdmin || h.as("ben@example.org").Admin || !h.user("ada@example.org").IsAdmin {
		t.Error("the account is an administrator, or the other is none")
	}
	_, err := h.stillValid(t.Context(), ben)
	wantCode(t, "a request of before", err, "unauthenticated")
	wantCode(t, "one who is none", h.Act(t.Context(), "ben@example.org", Demote), "")
	wantCode(t, "the only one", h.Act(t.Context(), "ada@example.org", Demote), "last_admin")
	wantCode(t, "an unknown address", h.Act(t.Context(), "nobody@example.org", Demote), "no_account")
	if !h.user("ada@example.org").IsAdmin {
		t.Error("the only administrator is none any more")
	}
	acts := h.auditOf("ada@example.org")
	if len(acts) != 3 || acts[0].Action != "user.demote" || !acts[0].ByCommand || acts[0].TargetID != h.cast.Ben.ID {
		t.Errorf("the audit log is %+v", acts)
	}
}

// A deletion by the command line is in the audit log, without the account. What belongs
// to the server is not deleted.
func TestEraseByCommand(t *testing.T) {
	h := open(t)
	if err := h.Act(t.Context(), "ada@example.org", Promote); err != nil {
		t.Fatal(err)
	}
	erase := func(email string) error { return h.Erase(t.Context(), email) }
	wantCode(t, "an unknown address", erase("nobody@example.org"), "no_account")
	wantCode(t, "the only administrator", erase("ada@example.org"), "last_admin")
	if acts := h.auditOf("ada@example.org"); len(acts) != 1 || acts[0].Action != "user.promote" {
		t.Errorf("after what was refused, the audit log is %+v", acts)
	}
	wantCode(t, "a member", erase("Ben@example.org"), "")
	if h.hasUser("ben@example.org") {
		t.Error("the account is there")
	}
	acts := h.auditOf("ada@example.org")
	if len(acts) != 2 || acts[0].Action != "user.erase" || !acts[0].ByCommand || acts[0].TargetID != store.DeletedUserID {
		t.Errorf("the audit log is %+v", acts)
	}
	wantCode(t, "the account of those who are deleted", erase(store.DeletedUserID+"@users.invalid"), "system_account")
	if acts := h.auditOf("ada@example.org"); len(acts) != 2 {
		t.Errorf("after what was refused, the audit log is %+v", acts)
	}
}
