package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearth/app/cli"
	"hearth/store/storetest"
)

// The commands of these tests run in the process of the tests. Servers, and what needs an
// environment of its own, run the program.

func TestMain(m *testing.M) { storetest.Main(m) }

// environment is this process's without the settings of a server.
func environment(extra ...string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "HEARTH_") && !strings.HasPrefix(e, "PUBLIC_AGENT_KEY=") && !strings.HasPrefix(e, "CHAT_CONTEXT_LANE=") {
			env = append(env, e)
		}
	}
	return append(env, extra...)
}

// ran is the result of a command.
type ran struct {
	out, err string
	code     int
}

// hearth runs a command in this process.
func hearth(t testing.TB, args ...string) ran {
	t.Helper()
	return run(t, "", args...)
}

func run(t testing.TB, stdin string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	env := cli.Env{
		Schema: storetest.Schema(t), Version: cli.BuildVersion(),
		In: strings.NewReader(stdin), Out: &out, Err: &errs, Now: time.Now,
	}
	code := cli.Run(ctx, append([]string{"hearth"}, args...), env, cli.All())
	if ctx.Err() != nil {
		t.Fatalf("hearth %q goes on: %s", args, &errs)
	}
	return ran{out.String(), errs.String(), code}
}

// server is a running "hearth serve".
type server struct {
	t    testing.TB
	cmd  *exec.Cmd
	url  string
	db   string
	log  storetest.Buffer // its output
	done chan struct{}    // closed when it has exited
	err  error
}

// logFile is the name of the file with a server's output.
const logFile = "hearth.log"

// output returns everything the server has printed.
func (s *server) output() string {
	out, err := os.ReadFile(filepath.Join(s.cmd.Dir, logFile))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(out) + s.log.String()
}

var servingLine = regexp.MustCompile(`msg=serving address=(\S+)`)

// serve starts "hearth serve" on db and a free port and waits until it serves.
func serve(t testing.TB, db string, args ...string) *server {
	t.Helper()
	args = append([]string{"serve", "--db", db, "--addr", "127.0.0.1:0", "--rate-limits", "off"}, args...)
	return start(t, db, args...)
}

func start(t testing.TB, db string, args ...string) *server {
	t.Helper()
	cmd := exec.Command(storetest.Program(t), args...)
	cmd.Env, cmd.Dir = environment(), t.TempDir()
	return startCommand(t, db, cmd)
}

// startCommand starts a server with a command and waits until it serves.
func startCommand(t testing.TB, db string, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, db: db, cmd: cmd, done: make(chan struct{})}
	out, err := os.Create(filepath.Join(s.cmd.Dir, logFile))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s.cmd.Stdout = out
	log, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	go s.follow(log, found)
	t.Cleanup(func() { s.cmd.Process.Kill(); <-s.done })
	select {
	case addr := <-found:
		s.url = "http://" + addr
	case <-s.done:
		t.Fatalf("the server exited: %v\n%s", s.err, s.output())
	case <-time.After(20 * time.Second):
		t.Fatalf("the server does not start\n%s", s.output())
	}
	return s
}

// follow collects the output until the server has exited.
func (s *server) follow(log io.Reader, found chan<- string) {
	defer close(s.done)
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		io.WriteString(&s.log, line)
		if m := servingLine.FindStringSubmatch(line); m != nil {
			found <- m[1]
		}
		if err != nil {
			break
		}
	}
	s.err = s.cmd.Wait()
}

// stop sends SIGTERM to the server and returns how long it took to exit.
func (s *server) stop() time.Duration {
	s.t.Helper()
	start := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.done:
	case <-time.After(30 * time.Second):
		s.t.Fatalf("the server does not exit\n%s", s.output())
	}
	return time.Since(start)
}

// request sends one request and returns status and body.
func (s *server) request(method, path, token, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

var (
	linkToken = regexp.MustCompile(`/login/verify\?token=([\w-]+)`)
	jwtField  = regexp.MustCompile(`"token":"([^"]+)"`)
)

// signIn returns a token for an address, using a link from the command line.
func (s *server) signIn(email string) string {
	s.t.Helper()
	r := hearth(s.t, "user", "link", "--create", "--db", s.db, email)
	m := linkToken.FindStringSubmatch(r.out)
	if m == nil {
		s.t.Fatalf("hearth user link: %+v", r)
	}
	status, body := s.request("POST", "/api/auth/magic-link/verify", "", `{"token":"`+m[1]+`"}`)
	m = jwtField.FindStringSubmatch(body)
	if status != 200 || m == nil {
		s.t.Fatalf("sign-in: %d %s", status, body)
	}
	return m[1]
}
