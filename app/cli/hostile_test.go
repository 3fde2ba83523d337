package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A server is asked alone: what it redirects to gets neither the key nor the request.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	sh := newShell(t, "HEARTH_URL="+server.URL, "LISTS_API_KEY=oc_secret")
	for _, args := range [][]string{{"lists", "ls"}, {"lists", "create", "Title"}, {"lists", "export", "id"}, {"login", "ada@example.org"},
		{"mcp", "--url", server.URL}} {
		r := sh.run("", args...)
		if r.code == 0 || !strings.Contains(r.err, server.URL) || args[0] != "mcp" && !strings.Contains(r.err, "redirects to "+other.URL) {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the other server was asked %d times", n)
	}
}

// Nothing that a server sends controls the terminal.
func TestNothingControlsTheTerminal(t *testing.T) {
	const control = "\x1b]0;title\x07\u009b31m\u202e\U000E0001"
	quoted := `"` + strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`).Replace(control) + `"`
	list := fmt.Sprintf(`{"id":%[1]s,"title":%[1]s,"description":%[1]s,"visibility":%[1]s,"owner_name":%[1]s,"updated_at":%[1]s,
		"other":%[1]s}`, quoted)
	item := fmt.Sprintf(`{"id":%[1]s,"list_id":%[1]s,"list_title":%[1]s,"content":%[1]s,"source_url":%[1]s,"source_note":%[1]s,
		"author_name":%[1]s}`, quoted)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/fails") {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprintf(w, `{"error":%[1]s,"lists":[%[2]s],"list":%[2]s,"items":[%[3]s],"item":%[3]s,"next_cursor":%[1]s,"total":1}`, quoted, list,
			item)
	}))
	defer server.Close()
	sh := newShell(t, "HEARTH_URL="+server.URL, "LISTS_API_KEY=oc_secret")
	file := filepath.Join(sh.dir, "list.md")
	if err := os.WriteFile(file, []byte("# Bread\n\n1. Rye\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"ls"}, {"show", "id"}, {"search", "x"}, {"create", "x"}, {"add", "id", "x"}, {"check", "id", "item"},
		{"star", "id", "item"}, {"import", file}, {"show", "fails"}} {
		for _, asJSON := range []string{"", "--json"} {
			all := append([]string{"lists", args[0]}, args[1:]...)
			if asJSON != "" && args[0] != "import" {
				all = append([]string{"lists", args[0], asJSON}, args[1:]...)
			}
			r := sh.run("", all...)
			if got := r.out + r.err; strings.ContainsAny(got, "\x1b\x07\u009b\u202e\U000E0001") || got == "" {
				t.Errorf("%v: %q", all, got)
			}
		}
	}
}

// The status of the exit says what a script can do: sign in, give up, or try again later.
func TestExitStatusOfAnswers(t *testing.T) {
	status := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"error":"no","code":"no"}`)
	}))
	sh := newShell(t, "HEARTH_URL="+server.URL, "LISTS_API_KEY=oc_secret")
	for _, want := range []struct{ status, code int }{{400, 1}, {401, 3}, {403, 3}, {404, 4}, {409, 1}, {429, 5}, {500, 1}, {502, 5}, {503, 5},
		{507, 5}} {
		status = want.status
		if r := sh.run("", "lists", "ls"); r.code != want.code {
			t.Errorf("%d: exit status %d, want %d: %s", want.status, r.code, want.code, r.err)
		}
	}
	server.Close()
	if r := sh.run("", "lists", "ls"); r.code != 5 {
		t.Errorf("a server that is not there: exit status %d, want 5: %s", r.code, r.err)
	}
}
