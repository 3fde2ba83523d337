//go:build linux

package store_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// traced are the system calls by which the store changes its files.
const traced = "open,openat,write,pwrite64,pwritev,fsync,fdatasync,sync_file_range,ftruncate,fallocate,rename,renameat,renameat2," +
	"unlink,unlinkat,link,linkat"

// diskOp is an operation on the files, or an acknowledgement.
type diskOp struct {
	kind   byte // w write, t truncate, s file synced, c name created, u name removed, r name replaced by to, d names synced, a acknowledged
	ino    int
	off    int64 // where a write begins; the length after a truncation
	data   []byte
	name   string
	to     string
	covers int    // synced: how many earlier operations it makes durable
	line   string // acknowledged: the printed line
}

// runTraced runs cmd under strace and returns what it did to the files in dir.
func runTraced(t *testing.T, cmd *exec.Cmd, dir string) []diskOp {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace")
	args := []string{"-f", "--seccomp-bpf", "-y", "-s", "1048576", "-e", "signal=none", "-e", "trace=" + traced, "-o", out}
	traced := exec.Command("strace", append(args, cmd.Args...)...)
	traced.Env, traced.Stderr = cmd.Env, os.Stderr
	if err := traced.Run(); err != nil {
		t.Fatalf("traced child: %v", err)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := traceParser{dir: dir, names: map[string]int{}, fds: map[string]int{}, open: map[string]pendingCall{}}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		if err := p.line(s.Text()); err != nil {
			t.Fatalf("trace: %v in %.200q", err, s.Text())
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return p.ops
}

type traceParser struct {
	dir   string
	ops   []diskOp
	inos  int
	names map[string]int
	fds   map[string]int
	open  map[string]pendingCall // calls that had not returned when another thread's started
}

type pendingCall struct {
	text   string
	covers int
}

// line parses a line of the trace. A write counts from the start of its call, a
// sync only once its call has returned.
func (p *traceParser) line(text string) error {
	pid, text, _ := strings.Cut(text, " ")
	text = strings.TrimLeft(text, " ")
	covers := len(p.ops)
	if rest, ok := strings.CutSuffix(text, " <unfinished ...>"); ok {
		p.open[pid] = pendingCall{rest, covers}
		if call, args, _ := strings.Cut(rest, "("); call == "write" || call == "pwrite64" {
			return p.written(call, args)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(text, "<... "); ok {
		_, rest, _ = strings.Cut(rest, " resumed>")
		began := p.open[pid]
		if call, _, _ := strings.Cut(began.text, "("); call == "write" || call == "pwrite64" {
			return nil
		}
		text, covers = began.text+rest, began.covers
	}
	call, args, ok := strings.Cut(text, "(")
	if !ok || strings.HasPrefix(text, "+++") {
		return nil
	}
	if call == "write" || call == "pwrite64" {
		return p.written(call, args)
	}
	return p.returned(call, args, covers)
}

// written parses: 5</path>, "bytes", 4096, 32) = 4096.
func (p *traceParser) written(call, args string) error {
	fd, path, rest := traceFD(args)
	if strings.HasPrefix(rest, `"ack `) {
		line, _, err := traceBytes(rest)
		p.ops = append(p.ops, diskOp{kind: 'a', line: strings.TrimSpace(string(line))})
		return err
	}
	if !p.ours(path) {
		return nil
	}
	if call != "pwrite64" {
		return fmt.Errorf("a write without an offset")
	}
	data, rest, err := traceBytes(rest)
	if err != nil {
		return err
	}
	var n int
	var off int64
	if _, err := fmt.Sscanf(rest, ", %d, %d", &n, &off); err != nil || n != len(data) {
		return fmt.Errorf("%d bytes of %d: %v", len(data), n, err)
	}
	p.ops = append(p.ops, diskOp{kind: 'w', ino: p.fds[fd], off: off, data: data, name: filepath.Base(path)})
	return nil
}

func (p *traceParser) returned(call, args string, covers int) error {
	at := strings.LastIndex(args, ") ")
	if at < 0 {
		return fmt.Errorf("no end of the call")
	}
	args, result := args[:at], strings.TrimLeft(args[at+1:], " =")
	if strings.HasPrefix(result, "-1 ") {
		return nil
	}
	fd, path, rest := traceFD(args)
	switch call {
	case "open", "openat":
		return p.opened(args, result)
	case "unlink", "unlinkat":
		name := strings.Split(args, `"`)[1]
		if p.ours(name) {
			delete(p.names, name)
			p.ops = append(p.ops, diskOp{kind: 'u', name: filepath.Base(name)})
		}
		return nil
	case "rename", "renameat", "renameat2":
		quoted := strings.Split(args, `"`)
		from, to := quoted[1], quoted[3]
		if p.ours(from) {
			p.names[to] = p.names[from]
			delete(p.names, from)
			p.ops = append(p.ops, diskOp{kind: 'r', name: filepath.Base(from), to: filepath.Base(to)})
		}
		return nil
	case "fsync", "fdatasync":
		if path == p.dir {
			p.ops = append(p.ops, diskOp{kind: 'd', covers: covers})
		} else if p.ours(path) {
			p.ops = append(p.ops, diskOp{kind: 's', ino: p.fds[fd], covers: covers, name: filepath.Base(path)})
		}
		return nil
	case "ftruncate":
		if !p.ours(path) {
			return nil
		}
		n, err := strconv.ParseInt(rest, 10, 64)
		p.ops = append(p.ops, diskOp{kind: 't', ino: p.fds[fd], off: n})
		return err
	}
	if strings.Contains(args, p.dir+"/") {
		return fmt.Errorf("the model of the disk does not know %s", call)
	}
	return nil
}

func (p *traceParser) opened(args, result string) error {
	name := strings.Split(args, `"`)[1]
	if !p.ours(name) {
		return nil
	}
	fd, _, _ := strings.Cut(result, "<")
	ino, ok := p.names[name]
	if !ok {
		p.inos++
		ino = p.inos
		p.names[name] = ino
		p.ops = append(p.ops, diskOp{kind: 'c', ino: ino, name: filepath.Base(name)})
	}
	p.fds[fd] = ino
	return nil
}

// ours reports whether path is a file whose bytes matter after a power cut: the
// shared memory is created again.
func (p *traceParser) ours(path string) bool {
	return strings.HasPrefix(path, p.dir+"/") && !strings.HasSuffix(path, "-shm")
}

// traceFD splits: 5</path>, rest.
func traceFD(args string) (fd, path, rest string) {
	fd, rest, ok := strings.Cut(args, "<")
	if !ok {
		return "", "", ""
	}
	path, rest, _ = strings.Cut(rest, ">")
	rest = strings.TrimPrefix(rest, "(deleted)")
	return fd, path, strings.TrimPrefix(rest, ", ")
}

// traceBytes parses a C string and returns what follows it.
func traceBytes(s string) (data []byte, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		return nil, s, fmt.Errorf("no string")
	}
	const letters, meant = `ntrvf"\`, "\n\t\r\v\f\"\\"
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return data, s[i+1:], nil
		case c != '\\':
			data = append(data, c)
		case i+1 < len(s) && strings.IndexByte(letters, s[i+1]) >= 0:
			i++
			data = append(data, meant[strings.IndexByte(letters, s[i])])
		default:
			v, n := 0, 0
			for n < 3 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '7' {
				v, n, i = v*8+int(s[i+1]-'0'), n+1, i+1
			}
			if n == 0 {
				return nil, s, fmt.Errorf("unknown escape")
			}
			data = append(data, byte(v))
		}
	}
	return nil, s, fmt.Errorf("no end of the string")
}
