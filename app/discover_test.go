package app_test

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/store/storetest"
)

// discoveryCases has the matrix rows of the documents for agents and crawlers.
func discoveryCases() map[string]matrixCase {
	all := map[string]matrixCase{"GET /.well-known/security.txt": free("/.well-known/security.txt", "", 200)}
	for _, path := range discoveryPaths() {
		all["GET "+path] = free(path, "", 200)
	}
	return all
}

func discoveryPaths() []string {
	return []string{"/AGENTS.md", "/llms.txt", "/robots.txt", "/.well-known/lists.json", "/.well-known/ai-catalog.json", "/mcp/server-card"}
}

// The documents have public lists, and no trace of the others, whoever asks. They
// are the same for everybody.
func TestDocumentsHavePublicListsOnly(t *testing.T) {
	w := newWorld(t)
	must := func(title, visibility string) string {
		res := w.json("ada", "POST", "/api/lists", `{"title":"`+title+`","description":"About `+title+`.","visibility":"`+visibility+
			`","items":[{"content":"`+title+` item"}]}`)
		return idIn(t, res.body)
	}
	public, open := must("Publicword [x](javascript:1)", "public"), must("Openword", "public-edit")
	hidden := []string{must("Unlistedword", "unlisted"), must("Privateword", "private"), "Unlistedword", "Privateword"}
	for _, path := range discoveryPaths() {
		res := w.do("anonymous", "GET", path, nil, "")
		if res.status != 200 || res.header.Get("ETag") == "" || res.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v", path, res.status, res.header)
		}
		for _, word := range hidden {
			if strings.Contains(res.raw, word) {
				t.Errorf("%s has %q:\n%s", path, word, res.body)
			}
		}
		if own := w.do("ada", "GET", path, nil, ""); !bytes.Equal(own.body, res.body) {
			t.Errorf("%s differs for Ada", path)
		}
		lists := path == "/AGENTS.md" || path == "/llms.txt"
		if has := strings.Contains(res.raw, public) && strings.Contains(res.raw, open); has != lists {
			t.Errorf("%s: has the lists: %v\n%s", path, has, res.body)
		}
		if strings.Contains(res.raw, "](javascript:") {
			t.Errorf("%s has the link of a title:\n%s", path, res.body)
		}
	}
}

// Programs find the API, the tools and the ways to authenticate.
func TestDocumentsForPrograms(t *testing.T) {
	w := newWorld(t)
	var manifest struct {
		Name, Repo string
		API        struct{ Base, OpenAPI string }
		MCP        struct{ URL, Card string }
		Auth       []struct{ Type, Key, Prefix string }
	}
	res := w.do("anonymous", "GET", "/.well-known/lists.json", nil, "")
	if err := json.Unmarshal(res.body, &manifest, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if manifest.Name == "" || manifest.Repo == "" || manifest.API.Base != "http://hearth.test/api" ||
		manifest.MCP.URL != "http://hearth.test/mcp" || len(manifest.Auth) != 5 || manifest.Auth[1].Key != testPublicKey {
		t.Errorf("%+v", manifest)
	}
	for i, want := range []string{"none ", "public_agent_key ", "personal_key cl_", "agent_key oc_", "session "} {
		if a := manifest.Auth[i]; a.Type+" "+a.Prefix != want {
			t.Errorf("%d: %+v, want %s", i, a, want)
		}
	}
	if manifest.API.OpenAPI != "http://hearth.test/api/openapi.json" || manifest.MCP.Card != "http://hearth.test/mcp/server-card" {
		t.Errorf("%+v", manifest)
	}
	var catalog struct {
		SpecVersion string
		Entries     []struct{ Identifier, DisplayName, Type, URL string }
	}
	res = w.do("anonymous", "GET", "/.well-known/ai-catalog.json", nil, "")
	if err := json.Unmarshal(res.body, &catalog, json.MatchCaseInsensitiveNames(true)); err != nil || len(catalog.Entries) != 1 {
		t.Fatalf("%v %s", err, res.body)
	}
	e := catalog.Entries[0]
	if e.Identifier != "urn:air:hearth.test:lists" || e.Type != "application/mcp-server-card+json" ||
		e.URL != "http://hearth.test/mcp/server-card" || res.header.Get("Content-Type") != "application/ai-catalog+json" {
		t.Errorf("%+v", catalog)
	}
	var card struct {
		Schema, Name, Version, Description string
		Remotes                            []struct {
			Type, URL                 string
			SupportedProtocolVersions []string
		}
	}
	res = w.do("anonymous", "GET", "/mcp/server-card", nil, "")
	if err := json.Unmarshal(res.body, &card, json.MatchCaseInsensitiveNames(true)); err != nil || len(card.Remotes) != 1 {
		t.Fatalf("%v %s", err, res.body)
	}
	if card.Name != "test.hearth/lists" || !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(card.Name) ||
		len(card.Description) > 100 || card.Version == "" ||
		card.Remotes[0].URL != "http://hearth.test/mcp" || !strings.Contains(strings.Join(card.Remotes[0].SupportedProtocolVersions, " "),
		"2026-07-28 2025-11-25") {
		t.Errorf("%+v", card)
	}
}

// Crawlers are named, and find a sitemap.
func TestDocumentsForCrawlers(t *testing.T) {
	w := newWorld(t)
	robots := string(w.do("anonymous", "GET", "/robots.txt", nil, "").body)
	for _, line := range []string{"User-agent: GPTBot\n", "User-agent: ClaudeBot\n", "User-agent: Google-Extended\n",
		"User-agent: PerplexityBot\n", "User-agent: Googlebot\n", "User-agent: Bingbot\n", "User-agent: CCBot\n", "User-agent: *\n",
		"\nAllow: /\n", "\nDisallow: /settings\n", "\nSitemap: http://hearth.test/sitemap.xml\n"} {
		if !strings.Contains(robots, line) {
			t.Errorf("%q is missing:\n%s", line, robots)
		}
	}
	if res := w.do("anonymous", "GET", "/sitemap.xml", nil, ""); res.status != 200 {
		t.Errorf("there is no sitemap: %d", res.status)
	}
}

// Every command of the guide for agents works on a real server, in order.
func TestGuideForAgentsRuns(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			storetest.Without(t, "the guide needs %s, which is not installed", tool)
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	served := w.copy(t, w.snapshot(), func(c *app.Config) { c.BaseURL = "http://" + ln.Addr().String() })
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- served.app.Run(ctx, ln) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	made := served.json("ada", "POST", "/api/lists", `{"title":"Open","visibility":"public-edit","items":[{"content":"First"}]}`)
	guide := string(served.do("anonymous", "GET", "/AGENTS.md", nil, "").body)
	script, commands := "set -euo pipefail\n", 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(guide, -1) {
		commands += strings.Count(block[1], "curl ")
		script += block[1]
	}
	if all := strings.Count(guide, "curl "); commands != all || commands < 9 {
		t.Fatalf("%d of %d commands are in blocks of shell:\n%s", commands, all, guide)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Env = append(cmd.Environ(), "EMAIL=agent@example.org", "PASSWORD=a long enough password", "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), `"isError":true`) || strings.Contains(string(out), `"error"`) {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, words := range []string{`"author_name":"Anonymous (your name)"`, `"title":"Things I look after"`, `"name":"search_lists"`} {
		if !strings.Contains(string(out), words) {
			t.Errorf("%s is missing:\n%s", words, out)
		}
	}
	items := served.json("anonymous", "GET", "/api/lists/"+idIn(t, made.body)+"/items", "")
	if !strings.Contains(string(items.body), "What it is and why it is good") {
		t.Errorf("nothing was added: %s", items.body)
	}
}

// An agent that knows nothing but the address of the server finds everything by
// following what it is given: the guide, the manifest, the card, and the tools.
func TestAgentsFindTheirWay(t *testing.T) {
	w := newWorld(t)
	made := w.json("ada", "POST", "/api/lists", `{"title":"Open","visibility":"public-edit"}`)
	home := w.do("anonymous", "GET", "/", nil, "")
	linked := func(rel string) string {
		m := regexp.MustCompile(`<([^>]+)>; rel="` + rel + `"`).FindStringSubmatch(home.header.Get("Link"))
		if m == nil {
			t.Fatalf("no link %s: %q", rel, home.header.Get("Link"))
		}
		return m[1]
	}
	guide := w.do("anonymous", "GET", linked("service-doc"), nil, "")
	if asked := w.do("anonymous", "GET", "/", map[string][]string{"Accept": {"text/markdown, text/plain;q=0.5"}}, ""); !bytes.Equal(asked.body,
		guide.body) {
		t.Errorf("the page as Markdown is not the guide:\n%s", asked.body)
	}
	if page := w.do("anonymous", "GET", "/", map[string][]string{"Accept": {"text/html,text/markdown"}},
		""); !strings.Contains(page.header.Get("Content-Type"), "text/html") {
		t.Errorf("a browser gets %s", page.header.Get("Content-Type"))
	}
	if page := w.do("anonymous", "GET", "/list/"+idIn(t, made.body), nil, ""); page.header.Get("Link") != home.header.Get("Link") {
		t.Errorf("the page of a list has the links %q", page.header.Get("Link"))
	}
	follow := func(from []byte, pattern string) string {
		t.Helper()
		m := regexp.MustCompile(`http://hearth\.test(` + pattern + `)`).FindSubmatch(from)
		if m == nil {
			t.Fatalf("no address like %s in:\n%s", pattern, from)
		}
		return string(m[1])
	}
	if res := w.do("anonymous", "GET", follow(guide.body, `/api/lists/[0-9a-f-]{36}`), nil, ""); !strings.Contains(res.raw, `"Open"`) {
		t.Errorf("%s", res.body)
	}
	summary := w.do("anonymous", "GET", linked("alternate"), nil, "")
	for _, path := range []string{follow(summary.body, `/AGENTS\.md`), follow(summary.body, `/\.well-known/lists\.json`),
		follow(summary.body, `/api/docs`)} {
		if res := w.do("anonymous", "GET", path, nil, ""); res.status != 200 {
			t.Errorf("%s: %d", path, res.status)
		}
	}
	manifest := w.do("anonymous", "GET", linked("service-meta"), nil, "")
	card := w.do("anonymous", "GET", follow(manifest.body, `/mcp/server-card`), nil, "")
	registered := w.json("anonymous", "POST", follow(manifest.body, `/api/register-agent`),
		`{"email":"agent@example.org","password":"a long enough password"}`)
	var key struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal(registered.body, &key); err != nil || key.Key == "" {
		t.Fatalf("%v %s", err, registered.body)
	}
	w.tokens["agent"] = key.Key
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_list","arguments":{"title":"Mine"}}}`
	if res := w.do("agent", "POST", follow(card.body, `/mcp`), mcpHeader(), call); !strings.Contains(string(res.body), `"title":"Mine"`) {
		t.Errorf("%s", res.body)
	}
}
