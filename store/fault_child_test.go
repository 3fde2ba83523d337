//go:build linux

package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"hearth/store"
	"hearth/store/storetest"
)

// The fault tests run the store in a child process: this test binary again, with
// childEnv set. So it can be traced, killed, and run with its own disk.
const childEnv = "HEARTH_FAULT_CHILD"

// child returns the command that runs one of the functions below.
func child(t *testing.T, kind, path string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestFaultChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(append([]string{kind, path}, args...), "\x1f"))
	cmd.Stderr = os.Stderr
	return cmd
}

// TestFaultChild is the main function of the child process.
func TestFaultChild(t *testing.T) {
	args := strings.Split(os.Getenv(childEnv), "\x1f")
	if len(args) < 2 {
		t.Skip("runs as the child process of the fault tests")
	}
	run := map[string]func(t *testing.T, path string, args []string) error{
		"load": childLoad, "sync": childSync, "full": childFull, "restore": childRestore,
	}[args[0]]
	if err := run(t, args[1], args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "child %s: %v\n", args[0], err)
		os.Exit(3)
	}
	os.Exit(0)
}

func openChild(t *testing.T, path, synchronous string) (*store.DB, error) {
	return store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t), Synchronous: synchronous})
}

// printLine prints a line with one system call, so that it is whole in a trace
// and outlives the process.
func printLine(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// childLoad opens the database sessions times and lets clients write to it
// concurrently, writes times each (0: until killed). Each acknowledged write is
// printed at once as "ack client number".
func childLoad(t *testing.T, path string, args []string) error {
	synchronous := args[0]
	sessions, _ := strconv.Atoi(args[1])
	clients, _ := strconv.Atoi(args[2])
	writes, _ := strconv.Atoi(args[3])
	for range sessions {
		db, err := openChild(t, path, synchronous)
		if err != nil {
			return err
		}
		printLine("open")
		errs := make(chan error, clients)
		for c := range clients {
			go func() { errs <- loadClient(db, c, writes) }()
		}
		for range clients {
			if err := <-errs; err != nil {
				return err
			}
		}
		if err := db.Close(); err != nil {
			return err
		}
	}
	return nil
}

func loadClient(db *store.DB, client, writes int) error {
	for i := 0; writes == 0 || i < writes; i++ {
		var n int
		err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
			n, err = loadWrite(tx, client)
			return err
		})
		if err != nil {
			return err
		}
		printLine("ack %d %d", client, n)
	}
	return nil
}

// loadWrite writes a client's next rows: a new one, a large one that is
// overwritten each time, an event, and the number of writes.
func loadWrite(tx *store.Tx, client int) (int, error) {
	last, err := tx.Setting(fmt.Sprint("last", client))
	if err != nil {
		return 0, err
	}
	n, _ := strconv.Atoi(last)
	n++
	large := strings.Repeat(fmt.Sprintf("%d %d.", client, n), 1+n%7*n%11*60)
	for name, value := range map[string]string{
		fmt.Sprintf("row%d.%06d", client, n): fmt.Sprint(n),
		fmt.Sprint("large", client):          large,
		fmt.Sprint("last", client):           fmt.Sprint(n),
	} {
		if err := tx.SetSetting(name, value); err != nil {
			return 0, err
		}
	}
	return n, tx.Emit(store.Event{Topic: fmt.Sprint(client), Kind: "load", ObjectID: fmt.Sprint(n)})
}

// acks has the number of each client's last acknowledged write.
type acks struct {
	mu   sync.Mutex
	last map[int]int
}

// parse records an "ack" line and reports whether it is one.
func (a *acks) parse(line string) bool {
	var client, n int
	if _, err := fmt.Sscanf(line, "ack %d %d", &client, &n); err != nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[int]int{}
	}
	a.last[client] = max(a.last[client], n)
	return true
}

// lines sends each line of r, and closes the channel at its end.
func lines(r io.Reader) <-chan string {
	ch := make(chan string, 1024)
	go func() {
		defer close(ch)
		for s := bufio.NewScanner(r); s.Scan(); {
			ch <- s.Text()
		}
	}()
	return ch
}

// checkLoad opens the database as the server would at its start, and returns what
// is wrong with it: acknowledged rows that are missing, partial writes, broken
// invariants.
func checkLoad(t *testing.T, path string, acked map[int]int) (lost int, wrong []string) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		return 0, []string{"open: " + err.Error()}
	}
	defer db.Close()
	broken, err := db.Check(ctx)
	if err != nil {
		return 0, []string{"check: " + err.Error()}
	}
	wrong = append(wrong, broken...)
	err = db.Read(ctx, func(r *store.Reader) error {
		events, err := r.EventsAfter(0, 1<<30)
		if err != nil {
			return err
		}
		counted := map[string]int{}
		for _, e := range events {
			counted[e.Topic]++
		}
		for client, n := range acked {
			missing, err := checkClient(r, client, n, counted[fmt.Sprint(client)])
			if err != nil {
				wrong = append(wrong, err.Error())
			}
			lost += missing
		}
		return nil
	})
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	return lost, wrong
}

func checkClient(r *store.Reader, client, acked, events int) (lost int, err error) {
	text, err := r.Setting(fmt.Sprint("last", client))
	if err != nil {
		return 0, err
	}
	last, _ := strconv.Atoi(text)
	if events != last {
		return 0, fmt.Errorf("client %d: %d writes but %d events", client, last, events)
	}
	for n := 1; n <= last+1; n++ {
		v, err := r.Setting(fmt.Sprintf("row%d.%06d", client, n))
		if err != nil {
			return 0, err
		}
		if want := fmt.Sprint(n); n <= last && v != want || n > last && v != "" {
			return 0, fmt.Errorf("client %d: row %d of %d is %q", client, n, last, v)
		}
	}
	large, err := r.Setting(fmt.Sprint("large", client))
	if want := fmt.Sprintf("%d %d.", client, last); err == nil && last > 0 && strings.Trim(large, want) != "" {
		err = fmt.Errorf("client %d: the large row is not that of write %d", client, last)
	}
	return max(0, acked-last), err
}

// needStrace skips the test where processes cannot be traced.
func needStrace(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		storetest.Without(t, "strace is not installed; .ci/run installs it")
	}
	if out, err := exec.Command("strace", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		storetest.Without(t, "processes cannot be traced here: %v %s", err, out)
	}
}

// letTrace allows any process to trace this one, even where the system allows
// that to its parent only.
func letTrace() { unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0) }
