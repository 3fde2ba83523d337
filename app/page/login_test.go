package page_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hearth/app/page"
)

func found(t *testing.T, pattern, in string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(in)
	if m == nil {
		t.Fatalf("nothing like %s in:\n%s", pattern, in)
	}
	return m[1]
}

func TestSignInByCode(t *testing.T) {
	w := newWorld(t)
	b := w.guest()
	b.get("/chat?x=1").leads(t, regexp.QuoteMeta("/login?next=%2Fchat%3Fx%3D1"))
	b.get("/login?next=%2Fchat%3Fx%3D1").want(t, 200, `value="/chat?x=1"`)
	b.post("/login", url.Values{"email": {"not an address"}, "next": {"/chat"}}).
		want(t, 422, `value="not an address"`, ` autofocus aria-invalid="true"`, `aria-invalid="true" aria-describedby="email-error"`,
			`value="/chat"`)
	b.post("/login", url.Values{"email": {"ada@example.org"}, "next": {"/chat?x=1"}}).leads(t, "/login/code")
	b.get("/login/code").want(t, 200, "ada@example.org")
	code := found(t, `(?s)code.*?\b(\d{6})\b`, w.mails.last(t).Text)
	wrong := strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
	b.post("/login/code", url.Values{"code": {wrong}}).want(t, 422, `id="code-error"`)
	b.post("/login/code", url.Values{"code": {" "}}).want(t, 422, "Enter the six digits")
	b.post("/login/code", url.Values{"code": {code[:3] + " " + code[3:]}}).leads(t, regexp.QuoteMeta("/chat?x=1"))
	b.get("/chat").want(t, 200, `data-me="`+w.cast.Ada.ID+`"`)
	b.post("/logout", nil).leads(t, `/\?done=out`)
	b.get("/chat").leads(t, "/login.*")
}

// TestLinkOfAnAdmin: without mail the page says who can give a link, unless all who can hide.
func TestLinkOfAnAdmin(t *testing.T) {
	w := newWorld(t, func(c *page.Config) { c.SMTPURL = "" })
	ask := func(who string) {
		b := w.guest()
		b.post("/login", url.Values{"email": {"ada@example.org"}}).leads(t, "/login/code")
		b.get("/login/code").want(t, 200, "Ask "+who+" for your sign-in link")
	}
	ask("an administrator")
	admin := w.administrator()
	ask("<bdi>Ada</bdi>")
	admin.post("/settings/profile", url.Values{"discoveryMode": {"hidden"}}).leads(t, "/settings.*")
	ask("an administrator")
}

// TestLinkNeedsPress: programs that scan mail follow links, which must still
// work afterwards.
func TestLinkNeedsPress(t *testing.T) {
	w := newWorld(t)
	b := w.guest()
	b.post("/login", url.Values{"email": {"ben@example.org"}})
	token := found(t, `/login/verify\?token=(\S+)`, w.mails.last(t).Text)
	for range 3 {
		a := w.guest().get("/login/verify?token="+token).want(t, 200, "ben@example.org", token)
		if a.header.Get("Set-Cookie") != "" {
			t.Error("a GET began a session")
		}
	}
	b.post("/login/verify", url.Values{"token": {token}}).leads(t, `/\?done=in`)
	b.get("/settings").want(t, 200, "ben@example.org")
	w.guest().post("/login/verify", url.Values{"token": {token}}).want(t, http.StatusGone, "no longer works")
	w.guest().get("/login/verify?token="+token).want(t, http.StatusGone, "no longer works")
	w.guest().get("/login/verify").want(t, http.StatusGone)
}

func TestNextIsLocal(t *testing.T) {
	w := newWorld(t)
	for _, next := range []string{"//evil.example", "https://evil.example/", `/\evil.example`, "javascript:alert(1)", "evil"} {
		w.guest().get("/login?next="+url.QueryEscape(next)).want(t, 200).lacks(t, "evil", "javascript:")
		w.as(w.cast.Ada).get("/login?next="+url.QueryEscape(next)).leads(t, "/")
	}
}

func TestFormsOfOtherSites(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	req, err := http.NewRequest("POST", w.url+"/logout", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://evil.example")
	b.do(req).want(t, http.StatusForbidden)
	b.get("/settings").want(t, 200)
}

// Every page has the headers that keep other sites out, for guests and for people, and
// so has that for what does not exist.
func TestHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paths := []string{"/nowhere", "/chat/x", "/list/new"}
	for _, r := range page.Routes() {
		if path, ok := strings.CutPrefix(r.Pattern, "GET "); ok {
			paths = append(paths, strings.NewReplacer("{$}", "", "{", "", "}", "", "...", "").Replace(path))
		}
	}
	guest, ada := w.guest(), w.as(w.cast.Ada)
	for n, path := range slices.Concat(paths, paths) {
		b := guest
		if n >= len(paths) {
			b = ada
		}
		h := b.get(path).header
		if kind := h.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
			if h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("GET %s: a browser may take it for something else than %s", path, kind)
			}
			continue
		}
		if !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("GET %s: other sites can show it within their pages", path)
		}
		cache := "no-store"
		if n < len(paths) && h.Get("ETag") != "" { // all guests get the same
			cache = "no-cache"
		}
		for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';",
			"X-Content-Type-Options": "nosniff", "Cache-Control": cache, "Cross-Origin-Opener-Policy": "same-origin",
			"Referrer-Policy": "same-origin"} {
			if !strings.HasPrefix(h.Get(name), want) {
				t.Errorf("GET %s: %s is %q", path, name, h.Get(name))
			}
		}
	}
}

// A request that no page gets to see is answered with the headers of pages, too.
func TestHeadersBeforePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req, err := http.NewRequest("GET", w.url+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://elsewhere.example")
	a := w.guest().do(req)
	for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'; script-src 'self'",
		"Referrer-Policy":            "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store"} {
		if !strings.HasPrefix(a.header.Get(name), want) {
			t.Errorf("%d: %s is %q", a.status, name, a.header.Get(name))
		}
	}
	a.want(t, 403)
}

// TestKeysHaveNoPages: a key acts over the API; a page is for a person.
func TestKeysHaveNoPages(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	b.post("/settings/api-keys", url.Values{"name": {"Bot"}, "kind": {"agent"}, "scopes": {}}).want(t, 422, `Choose at least one permission`,
		`value="Bot"`)
	a := b.post("/settings/api-keys", url.Values{"name": {"Bot"}, "kind": {"agent"}, "scopes": {"read", "write"}, "days": {"30"}}).want(t, 201)
	key := found(t, `(oc_[0-9A-Za-z]{49})`, a.body)
	b.get("/settings/api-keys").want(t, 200, key[:11]).lacks(t, key)
	req, err := http.NewRequest("GET", w.url+"/settings", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	w.guest().do(req).want(t, http.StatusUnauthorized)

	id := found(t, `/settings/api-keys/([0-9a-f-]{36})/revoke`, b.get("/settings/api-keys").body)
	w.as(w.cast.Ben).post("/settings/api-keys/"+id+"/revoke", url.Values{"kind": {"agent"}}).want(t, 404)
	b.post("/settings/api-keys/"+id, url.Values{"name": {""}, "scopes": {"read"}}).want(t, 422, `<details class="row-more" open>`)
	b.post("/settings/api-keys/"+id, url.Values{"name": {"Bote"}, "scopes": {"read"}}).leads(t, ".*done=saved")
	b.post("/settings/api-keys/"+id+"/revoke", url.Values{"kind": {"agent"}}).leads(t, ".*done=revoked")
	b.get("/settings/api-keys").want(t, 200, "Bote", "revoked")
	a = b.post("/settings/api-keys", url.Values{"name": {"Reader"}, "kind": {"list"}}).want(t, 201, "cl_")
	id = found(t, `/settings/api-keys/([0-9a-f-]{36})/revoke`, a.body)
	b.post("/settings/api-keys/"+id+"/revoke", url.Values{"kind": {"list"}}).leads(t, ".*done=revoked")
}

func TestSettings(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	long := strings.Repeat("x", 81)
	b.post("/settings/profile", url.Values{"name": {long}, "avatarUrl": {""}, "discoveryMode": {"name"}}).want(t, 422, long, `id="name-error"`)
	b.post("/settings/profile", url.Values{"name": {"Ada O."}, "avatarUrl": {"https://p.example/a.png"}, "discoveryMode": {"hidden"}}).leads(t,
		"/settings.done=saved")
	b.get("/settings?done=saved").want(t, 200, "Saved.", `value="Ada O."`, `value="hidden" checked`,
		`value="https://p.example/a.png"`).lacks(t, "<img")
	b.get("/settings?done=<script>").want(t, 200).lacks(t, "&lt;script")
	b.post("/settings/status", url.Values{"text": {"Baking"}, "emoji": {"🍞"}}).leads(t, ".*done=status")
	b.post("/settings/status", url.Values{"text": {" "}, "emoji": {""}}).leads(t, ".*done=cleared")

	b.get("/settings").want(t, 200, `value="available" selected`)
	b.post("/settings/presence", url.Values{"presenceStatus": {"busy"}}).leads(t, ".*done=availability")
	b.get("/settings").want(t, 200, `value="busy" selected`)
	b.post("/settings/presence", url.Values{"presenceStatus": {"asleep"}}).want(t, 422)

	other := w.as(w.cast.Ada)
	page := b.get("/settings/sessions").want(t, 200, "this device").body
	ids := regexp.MustCompile(`/settings/sessions/([0-9a-f-]{36})/end`).FindAllStringSubmatch(page, -1)
	if len(ids) != 2 {
		t.Fatalf("%d sessions are listed, want 2", len(ids))
	}
	w.as(w.cast.Ben).post("/settings/sessions/"+ids[0][1]+"/end", nil).want(t, 404)
	other.get("/settings").want(t, 200)
	b.post("/settings/sessions/end", nil).leads(t, `/\?done=out`)
	b.get("/settings").leads(t, "/login.*")
	other.get("/settings").leads(t, "/login.*")
}

// A link still works after a refused name, and the form says what is wrong.
func TestNameOfLinkRefused(t *testing.T) {
	w := newWorld(t)
	b := w.guest()
	b.post("/login", url.Values{"email": {"zoe@example.org"}}).leads(t, "/login/code")
	form := b.get(found(t, `(/login/verify\?token=\S+)`, w.mails.last(t).Text)).again(t, "/login/verify").Values
	for _, name := range []string{strings.Repeat("x", 81), "Zo\u202ee"} {
		form.Set("name", name)
		got := b.post("/login/verify", form).want(t, 422, `id="name-error"`, "zoe@example.org", name)
		form = got.again(t, "/login/verify").Values
	}
	form.Set("name", "Zoe")
	b.post("/login/verify", form).leads(t, "/home")
}

// Many people of one network who ask for links are told what to do, and when.
func TestManyLinksOfANetwork(t *testing.T) {
	w := newWorld(t)
	for i := range 21 {
		got := w.guest().post("/login", url.Values{"email": {"guest" + strconv.Itoa(i) + "@example.org"}})
		if i < 20 {
			got.leads(t, "/login/code")
		} else {
			got.want(t, 429, "Many sign-in links were requested from your network in a short time, so none was sent. Try again in 20 seconds.",
				"guest20@example.org")
			if after := got.header.Get("Retry-After"); after != "20" {
				t.Errorf("Retry-After: %q", after)
			}
		}
	}
}
