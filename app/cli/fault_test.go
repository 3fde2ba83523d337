//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// A second process on the same file fails; the first is not affected.
func TestSecondProcess(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	r := hearth(t, "serve", "--db", s.db, "--addr", "127.0.0.1:0")
	if r.code != 1 || !strings.Contains(r.err, "another hearth is serving") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("the second: %+v", r)
	}
	if status, _ := s.request("GET", "/health", "", ""); status != 200 {
		t.Errorf("the first process: status %d", status)
	}
	r = hearth(t, "serve", "--db", filepath.Join(t.TempDir(), "other.db"), "--addr", strings.TrimPrefix(s.url, "http://"))
	if r.code != 1 || !strings.Contains(r.err, "choose a different address with --addr") {
		t.Errorf("an address in use: %+v", r)
	}
}

// alter runs a statement on a file without the program's checks.
func alter(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// Only their owner may read the database, its WAL and its socket.
func TestFileModes(t *testing.T) {
	old := syscall.Umask(0)
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	syscall.Umask(old)
	s.signIn("ada@example.org")
	files, _ := filepath.Glob(s.db + "*")
	if len(files) < 4 {
		t.Errorf("missing files, found %v", files)
	}
	for _, f := range files {
		if fi, err := os.Stat(f); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", filepath.Base(f), fi.Mode(), err)
		}
	}
}

// A file that cannot be written is refused at start.
func TestReadOnlyFile(t *testing.T) {
	if os.Geteuid() == 0 {
		// Permissions do not restrict root, but a directory that is a file does.
		file := filepath.Join(t.TempDir(), "file")
		os.WriteFile(file, nil, 0o600)
		if r := hearth(t, "serve", "--db", filepath.Join(file, "h.db"), "--addr", "127.0.0.1:0"); r.code != 1 || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%+v", r)
		}
		return
	}
	db := filepath.Join(t.TempDir(), "h.db")
	serve(t, db).stop()
	os.Chmod(db, 0o400)
	if r := hearth(t, "serve", "--db", db, "--addr", "127.0.0.1:0"); r.code != 1 {
		t.Errorf("%+v", r)
	}
}

// fromAddress returns a client with a loopback address of its own, to stay below
// the limit of streams per address.
func fromAddress(n int) *http.Client {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(10+n))}}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext, DisableCompression: true}}
}

// SIGTERM with 200 open streams: each is ended, a request in flight is answered,
// and the process exits within five seconds.
func TestStopUnderStreams(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has many loopback addresses")
	}
	const streams = 200
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	token := s.signIn("ada@example.org")
	status, body := s.request("POST", "/api/lists", token, `{"title":"Bread","visibility":"public-edit"}`)
	if status != 201 {
		t.Fatalf("create a list: %d %s", status, body)
	}
	id := between(body, `"id":"`, `"`)
	tokens := []string{token} // an account may have the same number of streams as an address
	for i := range streams/20 - 1 {
		tokens = append(tokens, s.signIn(fmt.Sprintf("watcher%d@example.org", i)))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var open, ended sync.WaitGroup
	var clean sync.Map
	for i := range streams {
		open.Add(1)
		ended.Go(func() {
			started := sync.OnceFunc(open.Done)
			defer started()
			path := "/api/list/" + id + "/events"
			if i%2 == 0 {
				path = "/api/chat/events"
			}
			req, _ := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
			req.Header.Set("Authorization", "Bearer "+tokens[i/20])
			resp, err := fromAddress(i / 20).Do(req)
			if err != nil {
				t.Errorf("stream %d: %v", i, err)
				return
			}
			defer resp.Body.Close()
			r := bufio.NewReader(resp.Body)
			if _, err := r.ReadString('\n'); err != nil || resp.StatusCode != 200 {
				t.Errorf("stream %d: %s %v", i, resp.Status, err)
				return
			}
			started()
			if _, err := io.Copy(io.Discard, r); err == nil {
				clean.Store(i, true)
			}
		})
	}
	open.Wait()
	slow := s.slowRequest(token, id)
	took := s.stop()
	ended.Wait()
	n := 0
	clean.Range(func(any, any) bool { n++; return true })
	if n != streams {
		t.Errorf("%d of %d streams were ended cleanly", n, streams)
	}
	// The server warns of what did not end within its limits, of a few seconds.
	if s.err != nil || strings.Contains(s.output(), "in time") {
		t.Errorf("the server exited after %v with %v\n%s", took, s.err, s.output())
	}
	if got := <-slow; !strings.HasPrefix(got, "HTTP/1.1 201") {
		t.Errorf("the request in flight was answered %q", got)
	}
}

// slowRequest sends all but the end of a request. It sends the end once the
// server has closed its listener, on shutdown.
func (s *server) slowRequest(token, list string) <-chan string {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	body := `{"content":"sent while the server stops"}`
	fmt.Fprintf(conn, "POST /api/lists/%s/items HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", list, token, len(body))
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil || !strings.Contains(line, "100 Continue") {
		s.t.Fatalf("the server does not wait for the body: %q %v", line, err)
	}
	r.ReadString('\n')
	answer := make(chan string, 1)
	go func() {
		defer conn.Close()
		for {
			c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				break // no new connections: it is shutting down
			}
			c.Close()
		}
		io.WriteString(conn, body)
		line, _ := r.ReadString('\n')
		answer <- line
	}()
	return answer
}

// A second signal kills the server at once.
func TestSecondSignal(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "h.db"))
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := "POST /api/auth/magic-link HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\nExpect: " +
		"100-continue\r\n\r\n"
	io.WriteString(conn, body)
	bufio.NewReader(conn).ReadString('\n') // the request is in flight
	s.cmd.Process.Signal(syscall.SIGTERM)
	for {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			break // the first signal was received
		}
		c.Close()
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	<-s.done
	// A server that ignores it waits for the request, and then stops cleanly.
	if s.err == nil {
		t.Errorf("the second signal was ignored\n%s", s.output())
	}
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// "hearth user" may run beside a server of another version, so it refuses a file
// of another schema version with a line that names both.
func TestUserDoesNotMigrate(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made.db")
	serve(t, made).stop()
	version, application := pragma(t, made, "user_version"), pragma(t, made, "application_id")
	for v := 1; v <= version+1; v++ {
		path := filepath.Join(t.TempDir(), "h.db")
		if v == version {
			continue
		}
		if v < version {
			schema, err := os.ReadFile(fmt.Sprintf("../../testdata/schema/v%d.sql", v))
			if err != nil {
				t.Fatal(err)
			}
			alter(t, path, fmt.Sprintf("%s; PRAGMA application_id = %d", schema, application))
		} else if err := os.WriteFile(path, readFile(t, made), 0o600); err != nil {
			t.Fatal(err)
		}
		alter(t, path, fmt.Sprintf("PRAGMA journal_mode = WAL; PRAGMA user_version = %d", v))
		before := readFile(t, path)
		for _, args := range [][]string{{"user", "ls"}, {"user", "promote"}, {"user", "link", "--create"}} {
			args = append(args, "--db", path)
			if args[1] != "ls" {
				args = append(args, "ada@example.org")
			}
			r := hearth(t, args...)
			if r.code != 1 || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, fmt.Sprintf("schema version %d", v)) ||
				!strings.Contains(r.err, fmt.Sprint(version)) {
				t.Errorf("%v on schema version %d: %+v", args, v, r)
			}
		}
		if !bytes.Equal(readFile(t, path), before) {
			t.Errorf("a file of schema version %d was changed", v)
		}
		if copies, _ := filepath.Glob(path + ".v*"); len(copies) > 0 {
			t.Errorf("%v was left", copies)
		}
	}
}

func pragma(t *testing.T, path, name string) (value int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("PRAGMA " + name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
