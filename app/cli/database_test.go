//go:build linux

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearth/app"
	"hearth/store"
	"hearth/store/storetest"
)

// Commands print the same, and exit with the same status, through a server and on the file.
func TestWithAndWithoutServer(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	s.signIn("ada@example.org")
	bread := strings.TrimSpace(hearth(t, "lists", "create", "--db", s.db, "--as", "ada@example.org", "--visibility", "public", "Bread").out)
	hearth(t, "lists", "add", "--db", s.db, "--as", "ada@example.org", bread, "Mill Street")
	var lines [][]string
	for _, line := range []string{
		"user ls --db DB", "user promote --db DB nobody@example.org", "user erase --db DB nobody@example.org",
		"user erase --db DB --yes x@example.org",
		"reports ls --db DB", "reports show --db DB x", "feedback ls --db DB --json", "audit --db DB", "settings get --db DB --json",
		"settings set --db DB --accent x", "lists ls --db DB", "lists ls --db DB --mine --as ada@example.org --json", "lists ls --db DB --mine",
		"lists ls --db DB --as nobody@example.org", "lists show --db DB " + bread, "lists show --db DB x", "lists search --db DB mill",
		"lists export --db DB --format csv " + bread, "lists add --db DB " + bread + " x", "lists watch --db DB " + bread,
	} {
		lines = append(lines, strings.Fields(strings.Replace(line, "DB", s.db, 1)))
	}
	var served []ran
	for _, args := range lines {
		served = append(served, hearth(t, args...))
	}
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	ready := `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	agent := run(t, initialize+ready, "mcp", "--db", s.db)
	s.stop()
	for i, args := range lines {
		if r := hearth(t, args...); r != served[i] {
			t.Errorf("hearth %q:\nwithout a server %+v\nwith one         %+v", args, r, served[i])
		}
	}
	if r := run(t, initialize+ready, "mcp", "--db", s.db); r.code != 0 || r.out != agent.out || !strings.Contains(r.out, "search_lists") {
		t.Errorf("mcp: without a server %+v\nwith one %+v", r, agent)
	}
	if left, _ := filepath.Glob(s.db + "*"); len(left) != 1 {
		t.Errorf("the commands left %q", left)
	}
}

// The socket has a path of any length, and replaces that of a server which was killed.
func TestSocket(t *testing.T) {
	dir := t.TempDir()
	for len(dir) < 150 {
		dir = filepath.Join(dir, "a-long-name-of-a-folder")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(dir, "h.db"))
	s.cmd.Process.Kill()
	<-s.done
	if _, err := os.Lstat(app.SocketPath(s.db)); err != nil {
		t.Fatal(err)
	}
	if r := hearth(t, "user", "ls", "--db", s.db); r.code != 0 {
		t.Errorf("after the server was killed: %+v", r)
	}
	s = serve(t, s.db)
	s.signIn("ada@example.org")
	s.stop()
	for range 3 { // they wait for each other
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if r := hearth(t, "user", "ls", "--db", s.db); r.code != 0 || !strings.Contains(r.out, "ada@") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A server that starts while a command works with the file waits for it.
func TestServerWaitsForACommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	db, err := store.Open(t.Context(), path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	time.AfterFunc(300*time.Millisecond, func() { closed <- db.Close() })
	if status, _ := serve(t, path).request("GET", "/health", "", ""); status != 200 {
		t.Error(status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// openFolder returns a folder that other users can reach.
func openFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("", "hearth-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A server of a user whose files root's commands work with: they leave no file of root's, and
// a second server is refused by whichever name of the file.
func TestRootBesideServerOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs processes of another user")
	}
	const uid = 4711
	dir, elsewhere := openFolder(t), openFolder(t)
	if err := os.Chown(dir, uid, uid); err != nil {
		t.Skip("root may not give files away here: ", err)
	}
	program := filepath.Join(dir, "hearth")
	if err := os.Link(storetest.Program(t), program); err != nil {
		t.Skip(err)
	}
	other := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = environment(), dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		return cmd
	}
	db := filepath.Join(dir, "h.db")
	s := startCommand(t, db, other("serve", "--db", db, "--addr", "127.0.0.1:0"))
	ada := s.signIn("ada@example.org")
	s.signIn("ben@example.org")
	backup := filepath.Join(dir, "backup.db")
	must := func(args ...string) ran {
		t.Helper()
		r := hearth(t, args...)
		if r.code != 0 {
			t.Errorf("hearth %q: %+v", args, r)
		}
		return r
	}
	must("backup", "--db", db, backup)
	must("backup", "--db", db, filepath.Join(t.TempDir(), "beside.db")) // where the server cannot write
	must("user", "erase", "--db", db, "--yes", "ben@example.org")
	bread := strings.TrimSpace(must("lists", "create", "--db", db, "--as", "ada@example.org", "--visibility", "public", "Bread").out)
	must("lists", "add", "--db", db, "--as", "ada@example.org", bread, "Mill Street")
	if r := hearth(t, "restore", "--db", db, backup); r.code != 1 || !strings.Contains(r.err, "stop it first") {
		t.Errorf("restore beside the server: %+v", r)
	}
	link := filepath.Join(dir, "link.db")
	if err := os.Link(db, link); err != nil {
		t.Fatal(err)
	}
	names := []string{db, link}
	if err := syscall.Mount(dir, elsewhere, "", syscall.MS_BIND, ""); err == nil {
		defer syscall.Unmount(elsewhere, syscall.MNT_DETACH)
		names = append(names, filepath.Join(elsewhere, "h.db"), filepath.Join(elsewhere, "link.db"))
	}
	for _, name := range names {
		for _, cmd := range []*exec.Cmd{exec.Command(program, "serve", "--db", name, "--addr", "127.0.0.1:0"),
			other("serve", "--db", name, "--addr", "127.0.0.1:0")} {
			if out, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(out), "hearth: another hearth is serving") ||
				strings.Count(string(out), "\n") != 1 {
				t.Errorf("a second server on %s: %v %s", name, err, out)
			}
		}
	}
	if status, body := s.request("POST", "/api/lists", ada, `{"title":"Stones"}`); status != 201 {
		t.Errorf("the server after that: %d %s", status, body)
	}
	check := func() {
		t.Helper()
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			fi, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			if st := fi.Sys().(*syscall.Stat_t); f.Name() != "hearth" && f.Name() != logFile && (st.Uid != uid || st.Gid != uid) {
				t.Errorf("%s belongs to %d:%d", f.Name(), st.Uid, st.Gid)
			}
		}
	}
	check()
	s.stop()
	must("restore", "--db", db, backup)
	must("user", "ls", "--db", db)
	check()
	os.Remove(link)
	again := startCommand(t, db, other("serve", "--db", db, "--addr", "127.0.0.1:0"))
	if status, _ := again.request("GET", "/health", "", ""); status != 200 {
		t.Errorf("the server after a restore by root: %d", status)
	}
	check()
}
