package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hearth/store/storetest"
)

var commandNames = []string{"serve", "demo", "user", "reports", "feedback", "audit", "storage", "settings", "backup", "restore", "verify",
	"lists", "login", "logout", "mcp", "openapi", "version"}

// Every command has help with an example.
func TestHelp(t *testing.T) {
	top := hearth(t, "help")
	for _, name := range commandNames {
		if !strings.Contains(top.out, "\n   "+name+" ") {
			t.Errorf("the help does not name %s", name)
		}
	}
	all := append([]string{"user ls", "user link", "user promote", "user demote", "reports ls", "reports show", "reports decide",
		"feedback ls", "feedback done", "settings get", "settings set", "user suspend", "user unsuspend", "lists ls", "lists show",
		"lists search", "lists watch", "lists export",
		"lists create", "lists add", "lists edit", "lists star", "lists rm", "lists import"}, commandNames...)
	for _, name := range all {
		r := hearth(t, append(strings.Fields(name), "--help")...)
		if r.code != 0 || !strings.Contains(r.out, "Example:\n      hearth "+name) {
			t.Errorf("%s --help (%d) has no example:\n%s", name, r.code, r.out)
		}
		if !storetest.Long() && name != "serve" && name != "user ls" {
			continue // others are found in the same way
		}
		if h := hearth(t, append([]string{"help"}, strings.Fields(name)...)...); h.code != 0 || h.out != r.out {
			t.Errorf("help %s (%d) differs from %s --help:\n%s", name, h.code, name, h.out)
		}
	}
}

// Errors in the command line exit with status 2 and refer to the help.
func TestUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"nope", "user nope", "serve x", "serve --nope", "user link", "user link a b", "user promote a@example.org --db x", "reports nope",
		"audit x", "reports show", "settings get x",
		"backup", "restore", "verify", "version x", "openapi x", "demo --seed x", "serve --trusted-proxy x", "serve --signup never",
		"serve --date-language xx", "demo --signup never",
		"audit --limit 0", "feedback ls --limit -1", "reports ls --limit x", "reports ls --limit 0", "reports decide --decision maybe x",
		"reports decide --decision resolved --action ban x",
		"settings set --signup closed", "settings set --signup=", "settings set --date-language xx",
	} {
		r := hearth(t, strings.Fields(line)...)
		if r.code != 2 || r.out != "" || strings.Count(r.err, "\n") != 1 || !strings.HasPrefix(r.err, "hearth: ") {
			t.Errorf("hearth %s: %+v", line, r)
		}
	}
}

// Failures exit with status 1 and a line that contains the text.
func TestFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"serve --addr 300.0.0.1:1":             "choose a different address with --addr",
		"serve --ops-addr 0.0.0.0:9090":        "SSH tunnel",
		"serve --base-url example.org":         "--base-url must be the public URL",
		"serve --base-url https://e.org/x":     "without a path",
		"serve --legacy-base-url x":            "--legacy-base-url",
		"serve --smtp-url http://mail":         "smtp",
		"serve --jwt-secret short":             "32",
		"serve --allow-net http://x":           "--allow-net",
		"user ls --db none.db":                 "there is no database none.db",
		"backup --db none.db x.db":             "there is no database none.db",
		"verify none.db":                       "none.db",
		"restore --db new.db none.db":          "none.db",
		"demo --addr 127.0.0.1:0 --db no/x.db": "no/x.db",
		"match eval":                           "there is no labelled set in testdata/matching: name a FOLDER with intents.jsonl and pairs.jsonl",
		"match eval nowhere":                   "there is no labelled set in nowhere: name a FOLDER",
	} {
		r := hearth(t, strings.Fields(strings.Replace(line, "serve ", "serve --addr=127.0.0.1:0 ", 1))...)
		if r.code != 1 || !strings.Contains(r.err, want) {
			t.Errorf("hearth %s: %d\n%s\nwant %q", line, r.code, r.err, want)
		}
	}
}

// A secret can be in a file, so that it is not in the list of processes.
func TestSecretsFromFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret := strings.Repeat("a-secret-", 5)
	s := serve(t, filepath.Join(dir, "h.db"), "--bridge-secret-file", file("bridge", secret+"\n"), "--jwt-secret-file",
		file("jwt", secret+"\r\n"))
	if status, body := s.request("POST", "/api/auth/bridge-exchange", secret, `{"app":"social","email":"ada@example.org"}`); status != 201 {
		t.Errorf("the secret of the file: %d %s", status, body)
	}
	if status, body := s.request("POST", "/api/auth/bridge-exchange", secret+"x",
		`{"app":"social","email":"ada@example.org"}`); status != 401 {
		t.Errorf("another secret: %d %s", status, body)
	}
	for args, want := range map[string]string{
		"--smtp-url-file " + file("mail", "http://mail"):                      "smtp",
		"--jwt-secret-file " + file("empty", "\n"):                            "one line",
		"--jwt-secret-file " + file("lines", secret+"\n"+secret):              "one line",
		"--jwt-secret-file " + file("long", strings.Repeat("x", 5000)):        "one line",
		"--jwt-secret-file " + dir + "/none":                                  "no such file",
		"--jwt-secret x --jwt-secret-file " + file("both", secret):            "not both",
		"--bridge-secret-file " + file("short", "short") + " --signup=invite": "32",
		"--embed-key-file " + file("embed", secret):                           "--embed-url",
		"--embed-url http://127.0.0.1:1":                                      "--embed-model",
	} {
		r := hearth(t, append([]string{"serve", "--addr=127.0.0.1:0", "--db", filepath.Join(dir, "other.db")}, strings.Fields(args)...)...)
		if r.code == 0 || !strings.Contains(r.err, want) || strings.Contains(r.err, secret) {
			t.Errorf("%s: %+v, want %q", args, r, want)
		}
	}
}

func TestVersion(t *testing.T) {
	if r := hearth(t, "version"); r.code != 0 || !regexp.MustCompile(`^hearth \S+ \(go\S+ \w+/\w+\)\n$`).MatchString(r.out) {
		t.Errorf("%+v", r)
	}
}

// The command prints the document that the server serves.
func TestOpenAPI(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "h.db"), "--base-url", "https://chat.example.org")
	_, served := s.request("GET", "/api/openapi.json", "", "")
	if r := hearth(t, "openapi", "--base-url", "https://chat.example.org"); strings.TrimSpace(r.out) != strings.TrimSpace(served) {
		t.Errorf("hearth openapi differs from what the server serves:\n%.300s", r.out)
	}
}

func TestServeOutput(t *testing.T) {
	db := filepath.Join(t.TempDir(), "h.db")
	s := serve(t, db, "--ops-addr", "127.0.0.1:0")
	metrics := regexp.MustCompile(`http://\S+/metrics`).FindString(s.output())
	resp, err := http.Get(metrics)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("metrics: %s", resp.Status)
	}
	s.stop()
	output := s.output()
	for _, want := range []string{"  database  " + db, "  mail      printed here", s.url + "/claim?token=",
		"Stopped. All acknowledged data is saved in " + db} {
		if !strings.Contains(output, want) {
			t.Errorf("%q is missing in:\n%s", want, output)
		}
	}
	if s.err != nil {
		t.Errorf("a stopped server exited with %v", s.err)
	}
}

// The commands work beside a running server, which applies the changes.
func TestUser(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	token := s.signIn("ada@example.org")
	me := func() int { status, _ := s.request("GET", "/api/auth/me", token, ""); return status }
	if me() != 200 {
		t.Fatal("the link does not sign in")
	}
	do := func(want string, args ...string) {
		t.Helper()
		r := hearth(t, append([]string{"user", args[0], "--db", s.db}, args[1:]...)...)
		if r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("hearth user %v: %+v, want %q", args, r, want)
		}
	}
	do("ada@example.org  Ada", "ls")
	do("is now an administrator", "promote", "ada@example.org")
	do("admin", "ls")
	if r := hearth(t, "user", "suspend", "--db", s.db, "ada@example.org"); r.code != 1 ||
		!strings.Contains(r.err, "Promote another account first") || me() != 200 {
		t.Errorf("suspend the last administrator: %+v", r)
	}
	s.signIn("ben@example.org")
	do("is now an administrator", "promote", "ben@example.org")
	do("hearth user unsuspend ADA@example.org", "suspend", "ADA@example.org")
	if me() != 401 {
		t.Error("a suspended account is still signed in")
	}
	do("suspended", "ls")
	do("can sign in again", "unsuspend", "ada@example.org")
	if r := hearth(t, "user", "promote", "--db", s.db, "nobody@example.org"); r.code != 1 || !strings.Contains(r.err, "hearth user ls") {
		t.Errorf("promote an unknown account: %+v", r)
	}
}

// The commands for administrators work beside a running server, and are recorded
// as commands.
func TestAdministration(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	ada, ben := s.signIn("ada@example.org"), s.signIn("ben@example.org")
	do := func(line, want string) {
		t.Helper()
		args := strings.Fields(line)
		at := 1
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			at = 2
		}
		args = append(args[:at:at], append([]string{"--db", s.db}, args[at:]...)...)
		r := hearth(t, args...)
		if r.code != 0 || !regexp.MustCompile(want).MatchString(r.out+r.err) {
			t.Errorf("hearth %s: %+v, want %q", line, r, want)
		}
	}
	do("reports ls", `^No reports\.\n$`)
	do("feedback ls --json", `^\[\]\n$`)
	if status, body := s.request("POST", "/api/feedback", ben, `{"message":"Too many\nsoups \u001b[31m"}`); status != 201 {
		t.Fatalf("feedback: %d %s", status, body)
	}
	do("feedback ls", `^ID +WHEN +FROM +MESSAGE\n[0-9a-f-]{36}  20\S+ \S+  Ben   Too many soups \[31m\n$`)
	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(hearth(t, "feedback", "ls", "--db", s.db).out)
	do("feedback done "+id, `^Marked as done`)
	do("feedback ls --done", id)
	do("user promote ada@example.org", "administrator")
	do("user promote ben@example.org", "administrator")
	do("user demote ben@example.org", "not an administrator")
	if r := hearth(t, "user", "demote", "--db", s.db, "ada@example.org"); r.code != 1 ||
		!strings.Contains(r.err, "Promote another account first") {
		t.Errorf("demote the last administrator: %+v", r)
	}
	do("settings set --community-name Lane --signup invite", `community name +Lane\nsignup +invite`)
	do("settings get --json", `"communityName": "Lane"`)
	if _, body := s.request("GET", "/login", "", ""); !strings.Contains(body, "· Lane</title>") {
		t.Errorf("the server does not use the name: %.300s", body)
	}
	do("storage", `database +\d.*\n(.*\n)*messages +\d`)
	do("storage --json", `"databaseBytes": \d{5,}`)
	if status, body := s.request("PATCH", "/api/admin/settings", ada, `{"welcome":"first\nsecond"}`); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	do("settings get", `welcome +first second\n`)
	do("audit", `\(command\)  settings\.update  -  +communityName "Lane", signup invite\n(.*\n)*.*\(command\)  feedback\.done`)
	do("audit --limit 1", `^WHEN .*\n.*settings\.update.*\n\S`)
	if status, body := s.request("GET", "/api/admin/audit", ada, ""); status != 200 || !strings.Contains(body, `"byCommand":true`) {
		t.Errorf("the log: %d %.200s", status, body)
	}
	for line, want := range map[string]string{
		"reports show --db DB " + id:                       "hearth reports ls",
		"reports decide --db DB --decision resolved " + id: "hearth reports ls",
		"reports decide --db DB --decision maybe " + id:    "dismissed or resolved",
		"feedback done --db DB " + id[:len(id)-4] + "0000": "hearth feedback ls",
		"settings set --db DB --signup closed":             "open or invite",
		"settings set --db DB --member-invites maybe":      "yes or no",
	} {
		if r := hearth(t, strings.Fields(strings.Replace(line, "DB", s.db, 1))...); r.code == 0 || !strings.Contains(r.err, want) {
			t.Errorf("hearth %s: %+v, want %q", line, r, want)
		}
	}
}

// The commands alone restore a backup.
func TestBackupAndRestore(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, filepath.Join(dir, "h.db"))
	token := s.signIn("ada@example.org")
	status, _ := s.request("POST", "/api/lists", token, `{"title":"Bread","visibility":"public"}`)
	if status != 201 {
		t.Fatalf("create a list: %d", status)
	}
	backup := filepath.Join(dir, "backup.db")
	if r := hearth(t, "backup", "--db", s.db, backup); r.code != 0 || !strings.Contains(r.out, "hearth restore") || r.err != "" {
		t.Fatalf("backup: %+v", r)
	}
	if status, _ := s.request("POST", "/api/lists", token, `{"title":"Stones","visibility":"public"}`); status != 201 {
		t.Fatalf("create a list: %d", status)
	}
	if r := hearth(t, "restore", "--db", s.db, backup); r.code != 1 || !strings.Contains(r.err, "stop it first") {
		t.Fatalf("restore beside a running server: %+v", r)
	}
	s.stop()
	if r := hearth(t, "restore", "--db", s.db, backup); r.code != 0 || !strings.Contains(r.out, "Start the server with") {
		t.Fatalf("restore: %+v", r)
	}
	if r := hearth(t, "verify", s.db); r.code != 0 || !strings.Contains(r.out, "is valid") {
		t.Errorf("verify: %+v", r)
	}
	again := serve(t, s.db)
	_, body := again.request("GET", "/api/lists?public=true", "", "")
	if !strings.Contains(body, `"title":"Bread"`) || strings.Contains(body, "Stones") {
		t.Errorf("after the restore: %s", body)
	}
	b, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 0xff
	os.WriteFile(backup, b, 0o600)
	if r := hearth(t, "verify", backup); r.code != 1 || !strings.Contains(r.err, "is damaged") {
		t.Errorf("verify of a damaged backup: %+v", r)
	}
}

func TestDemo(t *testing.T) {
	s := start(t, "", "demo", "--addr", "127.0.0.1:0")
	file := regexp.MustCompile(`database  (\S+)`).FindStringSubmatch(s.output())
	token := linkToken.FindStringSubmatch(s.output())
	if file == nil || token == nil {
		t.Fatalf("the demo prints no file or no link:\n%s", s.output())
	}
	status, body := s.request("POST", "/api/auth/magic-link/verify", "", `{"token":"`+token[1]+`"}`)
	jwt := jwtField.FindStringSubmatch(body)
	if status != 200 || jwt == nil {
		t.Fatalf("sign-in: %d %s", status, body)
	}
	if status, body := s.request("GET", "/api/chat/conversations", jwt[1], ""); status != 200 || !strings.Contains(body, "lastMessage") {
		t.Errorf("no conversations: %d %.200s", status, body)
	}
	s.stop()
	if left, _ := filepath.Glob(filepath.Dir(file[1])); left != nil {
		t.Errorf("the demo left %v", left)
	}
}
