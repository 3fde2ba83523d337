package file

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

const mib = 1 << 20

// uploads is a store with uploads under way, on a disk that only their temporary
// files fill.
type uploads struct {
	*testing.T
	*Store
	ada, ben store.Viewer
	all      []*Upload
	reads    int // of the free space
}

// newUploads returns a store with a reserve of 100 MiB. The disk has above bytes more
// than that, which are read for each question, or only once.
func newUploads(t *testing.T, above int64, once bool) *uploads {
	t.Helper()
	db := storetest.Open(t)
	people := storetest.People(t, db)
	s, err := New(Config{DB: db.DB, DiskReserve: 100 * mib, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	w := &uploads{T: t, Store: s, ada: storetest.Human(people.Ada), ben: storetest.Human(people.Ben)}
	s.disk.free = func(string) (int64, bool) {
		w.reads++
		if s.disk.at = (time.Time{}); once {
			s.disk.at = time.Now().Add(time.Hour)
		}
		return 100*mib + above - w.written(), true
	}
	t.Cleanup(w.close)
	return w
}

func (w *uploads) begin(by store.Viewer) *Upload {
	w.Helper()
	u, err := w.Begin(w.Context(), by)
	if err != nil {
		w.Fatal(err)
	}
	w.all = append(w.all, u)
	return u
}

var errStopped = errors.New("the client sends no more")

// send begins an upload of by, of which n bytes arrive. It returns the code of the
// error if it is refused.
func (w *uploads) send(by store.Viewer, n int64) string {
	w.Helper()
	return w.receive(w.begin(by), n)
}

func (w *uploads) receive(u *Upload, n int64) string {
	err := core.As(u.Receive(io.MultiReader(io.LimitReader(zeros{}, n), failing{}), "notes.txt"))
	if err.Code == "bad_body" {
		return ""
	}
	return err.Code
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errStopped }

// written returns how many bytes the temporary files have.
func (w *uploads) written() (n int64) {
	for _, u := range w.all {
		if u.temp != nil {
			info, err := u.temp.Stat()
			if err != nil {
				w.Error(err)
				continue
			}
			n += info.Size()
		}
	}
	return n
}

func (w *uploads) close() {
	for _, u := range w.all {
		u.Close()
	}
	w.all = nil
}

// Uploads under way together take at most half of what the disk has above its reserve:
// the one that would take more is refused before it is written, and text is not. What
// they took is free for others once they are closed.
func TestUploadsLeaveTheReserve(t *testing.T) {
	for _, once := range []bool{false, true} {
		t.Run(fmt.Sprintf("read once %v", once), func(t *testing.T) {
			w := newUploads(t, 64*mib, once)
			for round := range 2 {
				for i := range 8 {
					want := "storage_full"
					if i == 0 {
						want = ""
					}
					if code := w.send(w.ada, 19*mib); code != want {
						t.Errorf("round %d, upload %d: got %q, want %q", round, i, code, want)
					}
					if n := w.written(); n > 32*mib {
						t.Fatalf("round %d: %d uploads have %d bytes in temporary files", round, i+1, n)
					}
				}
				if n := w.written(); n < 31*mib {
					t.Errorf("round %d: uploads got %d bytes of 32 MiB", round, n)
				}
				if err := w.CheckSpace(t.Context()); err != nil {
					t.Errorf("round %d: text: %v", round, err)
				}
				if code := w.send(w.ben, inMemory-1); code != "" {
					t.Errorf("round %d: a file in memory: %s", round, code)
				}
				w.close()
			}
			if code := w.send(w.ben, MaxSize); code != "" {
				t.Errorf("after all were closed: %s", code)
			}
			if once && w.reads != 1 {
				t.Errorf("the free space was read %d times", w.reads)
			}
		})
	}
}

// Uploads that arrive at the same time have half of the room together.
func TestUploadsAtOnceLeaveTheReserve(t *testing.T) {
	w := newUploads(t, 16*mib, true)
	codes := make([]string, 8)
	var wg sync.WaitGroup
	for range codes {
		w.begin(w.ada)
	}
	for i, u := range w.all {
		wg.Go(func() { codes[i] = w.receive(u, 4*mib) })
	}
	wg.Wait()
	refused := 0
	for _, code := range codes {
		if code == "storage_full" {
			refused++
		}
	}
	if n := w.written(); n > 8*mib || n < 7*mib || refused < 6 {
		t.Errorf("%d bytes are in temporary files; the uploads got %q", n, codes)
	}
}

// Temporary files do not take the room of files that are being stored, nor those the
// room of temporary files.
func TestUploadsBesideFilesBeingStored(t *testing.T) {
	w := newUploads(t, 64*mib, false)
	storing, err := w.reserve(t.Context(), w.ben, 40*mib)
	if err != nil {
		t.Fatal(err)
	}
	if code := w.send(w.ada, 19*mib); code != "storage_full" || w.written() > 12*mib || w.written() < 11*mib {
		t.Errorf("beside 40 of 64 MiB: got %q after %d bytes", code, w.written())
	}
	storing.end()
	w.close()
	if code := w.send(w.ada, 19*mib); code != "" {
		t.Error(code)
	}
	if _, err := w.reserve(t.Context(), w.ben, 46*mib); !errors.Is(err, errStorageFull) {
		t.Errorf("46 MiB beside 19 of 64: %v", err)
	}
	if storing, err = w.reserve(t.Context(), w.ben, 45*mib); err != nil {
		t.Fatalf("45 MiB beside 19 of 64: %v", err)
	}
	storing.end()
}

// Without a reserve, or where the free space is not known, uploads are not refused.
func TestUploadsOnADiskNotWatched(t *testing.T) {
	w := newUploads(t, 0, false)
	w.disk.free = func(string) (int64, bool) { return 0, false }
	if code := w.send(w.ada, 2*mib); code != "" {
		t.Errorf("the free space is not known: %s", code)
	}
	w = newUploads(t, 0, false)
	w.disk.reserve = -1
	if code := w.send(w.ada, 2*mib); code != "" || w.reads > 0 {
		t.Errorf("without a reserve: got %q, and %d reads of the free space", code, w.reads)
	}
}

// The uploads under way of a person and their bots have ten of the largest files in
// temporary files; others are not affected.
func TestTemporaryFilesOfAPerson(t *testing.T) {
	w := newUploads(t, 1<<40, false)
	bot := w.ben
	bot.OwnerID = w.ada.UserID
	for i := range 10 {
		by := w.ada
		if i%2 == 1 {
			by = bot
		}
		if code := w.send(by, MaxSize); code != "" {
			t.Fatalf("file %d: %s", i, code)
		}
	}
	held := w.written()
	for _, by := range []store.Viewer{w.ada, bot} {
		if code := w.send(by, inMemory+1); code != "too_many_uploads" || w.written() != held {
			t.Errorf("one more of %s: got %q, and %d bytes are written", by.Name, code, w.written()-held)
		}
	}
	if code := w.send(w.ada, inMemory-1); code != "" {
		t.Errorf("one more in memory: %s", code)
	}
	if code := w.send(w.ben, MaxSize); code != "" {
		t.Errorf("another person: %s", code)
	}
	w.all[0].Close()
	w.all = w.all[1:]
	if code := w.send(bot, MaxSize); code != "" {
		t.Errorf("after one was closed: %s", code)
	}
	w.close()
	if len(w.Store.uploads) > 0 || w.total != 0 {
		t.Errorf("after all were closed: %v, %d", w.Store.uploads, w.total)
	}
}
