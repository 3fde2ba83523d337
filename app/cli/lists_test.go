package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/store/storetest"
)

// shell runs commands with settings, a folder and a home of its own. Its tests are not
// parallel: they change the environment of the process.
type shell struct {
	t   *testing.T
	env []string
	dir string
}

func newShell(t *testing.T, env ...string) *shell {
	dir := t.TempDir()
	return &shell{t, append([]string{"XDG_CONFIG_HOME=" + dir, "HOME=" + dir, "LISTS_API_KEY=", "no_proxy=*"}, env...), dir}
}

// run runs a command with an input.
func (s *shell) run(stdin string, args ...string) (r ran) {
	s.t.Helper()
	s.t.Run("hearth", func(t *testing.T) {
		t.Chdir(s.dir)
		for _, setting := range s.env {
			name, value, _ := strings.Cut(setting, "=")
			t.Setenv(name, value)
		}
		r = run(t, stdin, args...)
	})
	return r
}

// ok runs a command that succeeds and returns its output.
func (s *shell) ok(args ...string) string {
	s.t.Helper()
	r := s.run("", args...)
	if r.code != 0 {
		s.t.Fatalf("hearth %s: %+v", strings.Join(args, " "), r)
	}
	return strings.TrimSpace(r.out)
}

// signedIn starts a server and signs Ada in to it.
func signedIn(t *testing.T) (*server, *shell) {
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	sh := newShell(t, "HEARTH_URL="+s.url)
	link := hearth(t, "user", "link", "--create", "--db", s.db, "ada@example.org").out
	if r := sh.run(link, "login", "ada@example.org"); r.code != 0 || !strings.Contains(r.out, "Signed in to "+s.url+" as ada@example.org.") {
		t.Fatalf("%+v", r)
	}
	return s, sh
}

// A list is made, changed, read, exported, imported and deleted with a session.
func TestListsOnAServer(t *testing.T) {
	_, sh := signedIn(t)
	id := sh.ok("lists", "create", "--visibility", "public", "--description", "Bread.", "Bakeries")
	first := sh.ok("lists", "add", "--link", "https://mill.example/", "--metadata", `{"opens":6}`, id, "Mill Street")
	r := sh.run("Corner\x1b[31m shop\nopen late", "lists", "add", id, "-")
	second := strings.TrimSpace(r.out)
	sh.ok("lists", "edit", "--position", "0", "--note", "Ben", id, second)
	sh.ok("lists", "edit", "--title", "Good bakeries", id)
	if got := sh.ok("lists", "star", id, first); got != "★ 1" {
		t.Errorf("star: %q", got)
	}
	if got := sh.ok("lists", "star", "--remove", id, first); got != "★ 0" {
		t.Errorf("star --remove: %q", got)
	}
	want := "Good bakeries\npublic, by Ada, 2 items, changed "
	got := sh.ok("lists", "show", id)
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "   0  Corner\\x1b[31m shop\n      open late\n      source: Ben\n") ||
		!strings.Contains(got, "   1  Mill Street\n      https://mill.example/\n      "+first+"  by Ada") {
		t.Errorf("show:\n%s", got)
	}
	for _, args := range [][]string{{"ls"}, {"ls", "--mine"}, {"search", "bakeries"}} {
		if got := sh.ok(append([]string{"lists"}, args...)...); !strings.Contains(got, id) || !strings.Contains(got, "Good bakeries") {
			t.Errorf("%v:\n%s", args, got)
		}
	}
	var shown struct {
		List  struct{ ID, Description string }
		Items []struct {
			Content  string
			Metadata map[string]int
		}
	}
	if err := json.Unmarshal([]byte(sh.ok("lists", "show", "--json", id)), &shown, json.MatchCaseInsensitiveNames(true)); err != nil ||
		shown.List.Description != "Bread." || len(shown.Items) != 2 || shown.Items[1].Metadata["opens"] != 6 {
		t.Errorf("show --json: %v %+v", err, shown)
	}
	file := filepath.Join(sh.dir, "list.json")
	sh.ok("lists", "export", "--out", file, id)
	copied := sh.ok("lists", "import", "--visibility", "public", file)
	if again := sh.ok("lists", "export", copied); again != strings.TrimSpace(string(readFile(t, file))) {
		t.Errorf("the import differs:\n%s", again)
	}
	if r := sh.run("", "lists", "export", "--out", file, id); r.code != 1 {
		t.Errorf("a file was overwritten: %+v", r)
	}
	sh.ok("lists", "rm", id, first)
	sh.ok("lists", "rm", "--yes", id)
	if r := sh.run("", "lists", "show", id); r.code != 4 || !strings.Contains(r.err, "not found") {
		t.Errorf("%+v", r)
	}
}

// Exit statuses and sentences say what to do.
func TestListsRefusals(t *testing.T) {
	s, sh := signedIn(t)
	id := sh.ok("lists", "create", "Private")
	out := newShell(t, "HEARTH_URL="+s.url)
	for _, tc := range []struct {
		args string
		code int
		want string
	}{
		{"lists create X", 3, "hearth login --url " + s.url}, {"lists show " + id, 4, "not found"}, {"lists ls --mine", 3, "hearth login"},
		{"lists show", 2, "the id of the LIST is missing"}, {"lists show " + id + " x", 2, "unexpected"}, {"lists rm " + id, 2, "--yes"},
		{"lists edit " + id, 2, "nothing to change"}, {"lists add --metadata [] " + id + " x", 2, "--metadata must be"},
		{"lists search", 2, "WORDS"},
		{"lists ls --as ada@example.org", 2, "--as is for the database file"}, {"lists import x.txt", 1, "x.txt"},
		{"lists ls --url ftp://x", 2, "--url must be"}, {"lists ls --url http://127.0.0.1:1", 5, "cannot reach"}, {"login", 2, "EMAIL"},
	} {
		if r := out.run("", strings.Fields(tc.args)...); r.code != tc.code || !strings.Contains(r.err, tc.want) || r.out != "" {
			t.Errorf("hearth %s: %+v, want %d %q", tc.args, r, tc.code, tc.want)
		}
	}
	file := newShell(t, "HEARTH_DB="+s.db)
	for args, want := range map[string]string{
		"lists ls --limit 0": "--limit must be a whole number of at least 1", "lists ls --limit x": "-limit: parse error",
		"lists ls --offset -1":               "--offset must be a whole number of at least 0",
		"lists search --limit -3 x":          "--limit must be",
		"lists create --visibility secret X": "--visibility must be public, public-edit, unlisted or private, not \"secret\"",
		"lists create --visibility= X":       "--visibility must be", "lists edit --visibility open " + id: "--visibility must be",
		"lists edit --position -1 " + id + " x": "--position must be",
		"lists export --format xx " + id:        "--format must be json, md or csv", "lists import --visibility xx x.txt": "--visibility must be",
		"lists import --format xx x.txt": "--format must be json, md, csv or bookmarks, not \"xx\"",
	} {
		for _, sh := range []*shell{out, file} {
			if r := sh.run("", strings.Fields(args)...); r.code != 2 || !strings.Contains(r.err, want) || r.out != "" {
				t.Errorf("hearth %s: %+v, want %q", args, r, want)
			}
		}
	}
	if r := out.run("000000\n", "login", "ada@example.org"); r.code != 1 || !strings.Contains(r.err, "not valid") {
		t.Errorf("%+v", r)
	}
	if r := out.run("", "login", "ada@example.org"); r.code != 1 || !strings.Contains(r.err, "no code was given") {
		t.Errorf("%+v", r)
	}
	sh.ok("logout")
	if r := sh.run("", "lists", "ls", "--mine"); r.code != 3 {
		t.Errorf("after logout: %+v", r)
	}
	bad := newShell(t, "HEARTH_URL="+s.url, "LISTS_API_KEY=cl_wrong")
	if r := bad.run("", "lists", "ls"); r.code != 3 || strings.Contains(r.err, "cl_wrong") {
		t.Errorf("%+v", r)
	}
}

// A personal key reads, in the place of the session, and does not edit.
func TestListsWithAPersonalKey(t *testing.T) {
	s, signed := signedIn(t)
	res, err := http.Post(s.url+"/api/register-agent", "application/json",
		strings.NewReader(`{"email":"agent@example.org","password":"a long enough password"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var made struct {
		Key string `json:"api_key"`
	}
	if err := json.UnmarshalRead(res.Body, &made); err != nil || made.Key == "" {
		t.Fatalf("%d %v", res.StatusCode, err)
	}
	alone := newShell(t, "HEARTH_URL="+s.url, "LISTS_API_KEY="+made.Key)
	if got := alone.ok("lists", "ls", "--mine"); got != "No lists." {
		t.Errorf("with the key: %s", got)
	}
	if r := alone.run("", "lists", "create", "X"); r.code != 3 || !strings.Contains(r.err, "a personal key (cl_) only reads") ||
		!strings.Contains(r.err, "hearth login --url "+s.url) {
		t.Errorf("%+v", r)
	}
	if r := newShell(t, "HEARTH_DB="+s.db, "LISTS_API_KEY="+made.Key).run("", "lists", "create", "X"); r.code != 3 ||
		r.err != "hearth: a personal key (cl_) only reads. To edit, name an account with --as EMAIL, "+
			"or set LISTS_API_KEY to an agent key (oc_)\n" {
		t.Errorf("with the key, on the file: %+v", r)
	}
	both := *signed
	both.env = append(slices.Clone(signed.env), "LISTS_API_KEY="+made.Key)
	id := both.ok("lists", "create", "Ada's")
	if got := both.ok("lists", "ls", "--mine"); got != "No lists." {
		t.Errorf("with the key and a session: %s", got)
	}
	if r := both.run("", "lists", "show", id); r.code != 4 {
		t.Errorf("the key reads a private list of another account: %+v", r)
	}
	if got := signed.ok("lists", "show", id); !strings.Contains(got, "private, by Ada") {
		t.Errorf("%s", got)
	}
}

// A key that may not read is told that something is done, and no count, on a server and
// on the file.
func TestListsWithAKeyThatOnlyWrites(t *testing.T) {
	s, signed := signedIn(t)
	status, body := s.request("POST", "/api/agent-keys", savedLogin(t, signed), `{"name":"Writer","scopes":["write"]}`)
	var made struct{ Key string }
	if err := json.Unmarshal([]byte(body), &made, json.MatchCaseInsensitiveNames(true)); err != nil || made.Key == "" {
		t.Fatalf("%d %v %s", status, err, body)
	}
	id := signed.ok("lists", "create", "Bread")
	item := signed.ok("lists", "add", id, "Rye")
	for _, where := range []string{"HEARTH_URL=" + s.url, "HEARTH_DB=" + s.db} {
		sh := newShell(t, where, "LISTS_API_KEY="+made.Key)
		if got := sh.ok("lists", "star", id, item); got != "Starred." {
			t.Errorf("%s: star: %q", where, got)
		}
		if got := sh.ok("lists", "star", "--remove", id, item); got != "No longer starred." {
			t.Errorf("%s: star --remove: %q", where, got)
		}
		file := filepath.Join(sh.dir, "list.json")
		signed.ok("lists", "export", "--out", file, id)
		r := sh.run("", "lists", "import", file)
		if copied := strings.TrimSpace(r.out); r.code != 0 || r.err != "Imported.\n" ||
			!strings.Contains(signed.ok("lists", "show", copied), "1 item,") {
			t.Errorf("%s: import: %+v", where, r)
		}
	}
}

// What a command or a tool adds to the database file is found by the next command, however
// much it is, also if no server is running.
func TestWhatIsAddedToAFileIsFound(t *testing.T) {
	s, signed := signedIn(t)
	s.stop()
	sh := newShell(t, "HEARTH_DB="+s.db)
	var text strings.Builder
	for n := range 100 {
		fmt.Fprintf(&text, "- word%d %s\n", n, strings.Repeat("long ", 100))
	}
	file := filepath.Join(sh.dir, "list.md")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	id := sh.ok("lists", "import", "--as", "ada@example.org", "--title", "Words", file)
	for _, word := range []string{"word0", "word99"} {
		if got := sh.ok("lists", "search", "--as", "ada@example.org", word); !strings.Contains(got, id) {
			t.Errorf("%s: %s", word, got)
		}
	}
	cmd := exec.Command(storetest.Program(t), "mcp", "--db", s.db)
	cmd.Env, cmd.Dir = environment("LISTS_API_KEY="+savedLogin(t, signed)), sh.dir
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool string, args map[string]any) string {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || res.IsError {
			t.Fatalf("%s: %v %+v", tool, err, res)
		}
		return res.Content[0].(*mcp.TextContent).Text
	}
	items := make([]map[string]any, 50)
	for n := range items {
		items[n] = map[string]any{"content": fmt.Sprintf("tool%d %s", n, strings.Repeat("long ", 100))}
	}
	call("create_item", map[string]any{"list_id": id, "items": items})
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(call("search", map[string]any{"q": "tool49"}),
		id); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what a tool has added is not found")
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// The commands work on the database file beside a server, as an account or as
// everybody.
func TestListsInAFile(t *testing.T) {
	s, signed := signedIn(t)
	sh := newShell(t, "HEARTH_DB="+s.db)
	id := sh.ok("lists", "create", "--as", "ada@example.org", "Private")
	if got := signed.ok("lists", "show", id); !strings.Contains(got, "private, by Ada, 0 items") {
		t.Errorf("%s", got)
	}
	for args, code := range map[string]int{
		"lists show " + id: 4, "lists create X": 3, "lists ls --as nobody@example.org": 1, "lists watch " + id: 2, "lists ls --db none.db": 1,
	} {
		if r := sh.run("", strings.Fields(args)...); r.code != code || r.err == "" {
			t.Errorf("hearth %s: %+v", args, r)
		}
	}
}

// A change is printed when it happens, and after a restart of the server the
// changes go on.
func TestListsWatch(t *testing.T) {
	_, sh := signedIn(t)
	id := sh.ok("lists", "create", "--visibility", "public", "Watched")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var out storetest.Buffer
	cmd := exec.CommandContext(ctx, storetest.Program(t), "lists", "watch", "--json", id)
	cmd.Env, cmd.Dir, cmd.Stdout = environment(sh.env...), sh.dir, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	until(t, func() bool { return strings.Contains(out.String(), `"event":"presence"`) })
	item := sh.ok("lists", "add", id, "New")
	until(t, func() bool {
		return strings.Contains(out.String(), item) && strings.Contains(out.String(), `"op":"insert"`)
	})
}

// until waits for a condition.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for range 300 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("it did not happen within 15 s")
}

// An agent uses the same tools over stdio on the database file and through the
// server, with the key of the environment or one of its own.
func TestMCPOverStdio(t *testing.T) {
	s, signed := signedIn(t)
	hidden := signed.ok("lists", "create", "Hidden")
	token := savedLogin(t, signed)
	for name, args := range map[string][]string{"file": {"mcp", "--db", s.db}, "server": {"mcp", "--url", s.url}} {
		cmd := exec.Command(storetest.Program(t), args...)
		cmd.Env, cmd.Dir = environment("LISTS_API_KEY="+token, "no_proxy=*"), t.TempDir()
		var errs storetest.Buffer
		cmd.Stderr = &errs
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(),
			&mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatalf("%s: %v %s", name, err, errs.String())
		}
		list, err := session.ListTools(context.Background(), nil)
		if err != nil || len(list.Tools) != 15 {
			t.Errorf("%s: %v, %d tools", name, err, len(list.Tools))
		}
		call := func(tool string, args map[string]any) (string, bool) {
			res, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
			if err != nil {
				t.Fatalf("%s: %s: %v", name, tool, err)
			}
			return res.Content[0].(*mcp.TextContent).Text, res.IsError
		}
		if text, failed := call("get_list", map[string]any{"list_id": hidden}); failed || !strings.Contains(text, `"title":"Hidden"`) {
			t.Errorf("%s: %s", name, text)
		}
		if text, failed := call("get_list", map[string]any{"list_id": hidden, "api_key": "cl_wrong"}); !failed ||
			!strings.Contains(text, "invalid_api_key") || strings.Contains(text, "cl_wrong") {
			t.Errorf("%s: %s", name, text)
		}
		if text, failed := call("create_item", map[string]any{"list_id": hidden, "items": []map[string]any{{"content": "by " + name}}}); failed {
			t.Errorf("%s: %s", name, text)
		}
		read, err := session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "lists://list/" + hidden})
		if err != nil || !strings.Contains(read.Contents[0].Text, ". by "+name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := session.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "find_duplicates",
			Arguments: map[string]string{"list_id": hidden}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := session.Close(); err != nil || strings.Contains(errs.String(), token) {
			t.Errorf("%s: %v %s", name, err, errs.String())
		}
	}
	if r := newShell(t).run("", "mcp", "--url", "http://127.0.0.1:1"); r.code != 1 || r.out != "" ||
		!strings.Contains(r.err, "cannot connect to http://127.0.0.1:1") {
		t.Errorf("%+v", r)
	}
}

// What was asked before the input ended is answered: a client may be a pipe.
func TestMCPOfAPipe(t *testing.T) {
	s, signed := signedIn(t)
	signed.ok("lists", "create", "Mine")
	const input = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` +
		`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_lists","arguments":{}}}`
	for name, args := range map[string][]string{"file": {"mcp", "--db", s.db}, "server": {"mcp", "--url", s.url}} {
		r := newShell(t).run(input, args...)
		for _, id := range []string{`"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`} {
			if r.code != 0 || strings.Count(r.out, id) != 1 {
				t.Errorf("%s: no %s in %d: %s %s", name, id, r.code, r.out, r.err)
			}
		}
	}
	// A subscription lasts until the input ends.
	const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`
	begin := time.Now()
	if r := newShell(t).run(listen+"\n", "mcp", "--db", s.db); r.code != 0 || time.Since(begin) > 4*time.Second {
		t.Errorf("after %s: %+v", time.Since(begin), r)
	}
}

// savedLogin returns the token of a shell's only session.
func savedLogin(t *testing.T, sh *shell) string {
	t.Helper()
	var all map[string]struct{ Token string }
	path := filepath.Join(sh.dir, "hearth", "login.json")
	if err := json.Unmarshal(readFile(t, path), &all, json.MatchCaseInsensitiveNames(true)); err != nil || len(all) != 1 {
		t.Fatalf("%v, %d sessions", err, len(all))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, the file has the mode %v", err, info.Mode())
	}
	for _, l := range all {
		return l.Token
	}
	return ""
}
