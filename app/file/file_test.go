package file_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/media"
	"hearth/store"
	"hearth/store/storetest"
)

type world struct {
	storetest.Cast
	*testing.T
	db    *storetest.DB
	files *file.Store
	ada   store.Viewer
}

func newWorld(t *testing.T, c file.Config) *world {
	t.Helper()
	w := &world{T: t, db: storetest.Open(t)}
	w.Cast = storetest.People(t, w.db)
	w.ada = storetest.Human(w.Ada)
	c.DB = w.db.DB
	var err error
	if w.files, err = file.New(c); err != nil {
		t.Fatal(err)
	}
	return w
}

// save uploads a file of by.
func (w *world) save(by store.Viewer, content string) (store.Attachment, error) {
	w.Helper()
	u, err := w.files.Begin(w.Context(), by)
	if err != nil {
		return store.Attachment{}, err
	}
	defer u.Close()
	if err := u.Receive(strings.NewReader(content), "notes.txt"); err != nil {
		return store.Attachment{}, err
	}
	return w.files.SaveAttachment(w.Context(), by, u)
}

// text returns n bytes of text that is different for each seed.
func text(seed uint64, n int) string {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

func (w *world) size() (n int64) {
	w.Helper()
	err := w.db.Read(w.Context(), func(r *store.Reader) (err error) {
		n, err = r.DatabaseBytes()
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) used(u store.User) (n int64) {
	w.Helper()
	err := w.db.Read(w.Context(), func(r *store.Reader) (err error) {
		n, err = r.StorageUsed(u.ID)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func TestContentIsReadFromAnyPlace(t *testing.T) {
	w := newWorld(t, file.Config{})
	for _, n := range []int{1, store.PartSize - 1, store.PartSize, store.PartSize + 1, 3*store.PartSize + 7, 3 << 20} {
		want := text(uint64(n), n)
		a, err := w.save(w.ada, want)
		if err != nil {
			t.Fatal(err)
		}
		c := w.files.Open(t.Context(), a.BlobID, a.Size)
		if got, err := io.ReadAll(c); string(got) != want || err != nil {
			t.Fatalf("%d bytes: read %d, %v", n, len(got), err)
		}
		for _, at := range []int{0, n / 2, n - 1} {
			if _, err := c.Seek(int64(at-n), io.SeekEnd); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(c); string(got) != want[at:] || err != nil {
				t.Errorf("%d bytes from %d on: %d, %v", n, at, len(got), err)
			}
		}
	}
	if left, _ := filepath.Glob(w.db.Path() + ".upload-*"); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// A download of a file that is deleted meanwhile ends, and has nothing of a file that
// takes its place.
func TestDownloadOfADeletedFile(t *testing.T) {
	w := newWorld(t, file.Config{})
	const size = 3 * store.PartSize
	a, err := w.save(w.ada, text(1, size))
	if err != nil {
		t.Fatal(err)
	}
	c := w.files.Open(t.Context(), a.BlobID, a.Size)
	if _, err := io.ReadFull(c, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	w.db.Clock.Advance(25 * time.Hour)
	if err := w.files.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	private := text(2, size)
	if _, err := w.save(storetest.Human(w.Ben), private); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{0, store.PartSize, 2 * store.PartSize} {
		if _, err := c.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); err == nil || strings.Contains(private, string(got)) && len(got) > 0 {
			t.Errorf("from %d on: %d bytes, %v", at, len(got), err)
		}
	}
}

// The same content is stored once and counts for each account, also when many
// upload it at the same time.
func TestContentIsStoredOnce(t *testing.T) {
	w := newWorld(t, file.Config{})
	content := text(1, 300_000)
	empty := w.size()
	var wg sync.WaitGroup
	blobs := make([]int64, 12)
	for i := range blobs {
		wg.Go(func() {
			by := w.ada
			if i%2 == 1 {
				by = storetest.Human(w.Ben)
			}
			a, err := w.save(by, content)
			if err != nil {
				t.Error(err)
			}
			blobs[i] = a.BlobID
		})
	}
	wg.Wait()
	for _, b := range blobs {
		if b != blobs[0] {
			t.Errorf("the content is stored as %v", blobs)
			break
		}
	}
	if a, b := w.used(w.Ada), w.used(w.Ben); a != 6*300_000 || b != a {
		t.Errorf("%d and %d bytes are charged", a, b)
	}
	w.db.Clock.Advance(2 * time.Hour)
	if err := w.files.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := w.size() - empty; n > 500_000 {
		t.Errorf("the database has %d bytes more for one content", n)
	}
}

// What no message has is deleted after a day, and its content with it, while
// others upload the same.
func TestCollect(t *testing.T) {
	w := newWorld(t, file.Config{})
	before := w.size()
	for i := range uint64(5) {
		if _, err := w.save(w.ada, text(i, 400_000)); err != nil {
			t.Fatal(err)
		}
	}
	collect := func() {
		if err := w.files.Collect(t.Context()); err != nil {
			t.Error(err)
		}
	}
	collect()
	if w.used(w.Ada) != 5*400_000 {
		t.Error("what is new was deleted")
	}
	w.db.Clock.Advance(25 * time.Hour)
	var wg sync.WaitGroup
	wg.Go(collect)
	var kept store.Attachment
	for range 4 {
		var err error
		if kept, err = w.save(w.ada, text(3, 400_000)); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if got, err := io.ReadAll(w.files.Open(t.Context(), kept.BlobID, kept.Size)); err != nil || string(got) != text(3, 400_000) {
		t.Errorf("a file was deleted with an older one of the same content: %v", err)
	}
	w.db.Clock.Advance(26 * time.Hour)
	collect()
	w.db.Clock.Advance(2 * time.Hour)
	collect()
	if n := w.used(w.Ada); n != 0 {
		t.Errorf("%d bytes are still charged", n)
	}
	if n := w.size(); n > before+200_000 {
		t.Errorf("%d bytes before and %d after", before, n)
	}
}

func TestQuotas(t *testing.T) {
	w := newWorld(t, file.Config{QuotaAccount: 1_000_000})
	if _, err := w.save(w.ada, text(1, 700_000)); err != nil {
		t.Fatal(err)
	}
	before := w.size()
	if _, err := w.save(w.ada, text(2, 700_000)); core.As(err).Code != "quota_exceeded" || core.As(err).Kind != core.StorageFull {
		t.Errorf("got %v", err)
	}
	if after := w.size(); after != before {
		t.Errorf("%d bytes were stored although the quota is used up", after-before)
	}
	if _, err := w.save(storetest.Human(w.Ben), text(2, 700_000)); err != nil {
		t.Errorf("the quota of another: %v", err)
	}
	// Two uploads at once that fit one by one.
	w = newWorld(t, file.Config{QuotaAccount: 1_000_000})
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		wg.Go(func() { _, errs[i] = w.save(w.ada, text(uint64(i), 700_000)) })
	}
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("got %v", errs)
	}
}

// A person and their bots have one quota, for uploads at the same time, too.
func TestQuotaOfPerson(t *testing.T) {
	w := newWorld(t, file.Config{QuotaAccount: 1_000_000})
	var viewers []store.Viewer
	err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		viewers = []store.Viewer{w.ada}
		for _, name := range []string{"first", "second"} {
			u, err := tx.InsertUser(store.User{Email: name + "@bots.invalid", Name: name, IsBot: true, BotOwnerID: w.Ada.ID, SignupProvider: "bot"})
			if err != nil {
				return err
			}
			by := storetest.Human(u)
			by.OwnerID = w.Ada.ID
			viewers = append(viewers, by)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, len(viewers))
	for i, by := range viewers {
		wg.Go(func() { _, errs[i] = w.save(by, text(uint64(i), 700_000)) })
	}
	wg.Wait()
	saved := 0
	for i, by := range viewers {
		if errs[i] == nil {
			saved++
		} else if core.As(errs[i]).Code != "quota_exceeded" {
			t.Error(errs[i])
		}
		if _, err := w.save(by, text(uint64(10+i), 700_000)); core.As(err).Code != "quota_exceeded" {
			t.Errorf("%s, with the quota used up: %v", by.Name, err)
		}
	}
	if saved != 1 {
		t.Errorf("%d files of 700,000 bytes are within 1,000,000", saved)
	}
	if _, err := w.save(storetest.Human(w.Ben), text(20, 700_000)); err != nil {
		t.Errorf("another person: %v", err)
	}
}

func TestServerQuota(t *testing.T) {
	w := newWorld(t, file.Config{})
	w.files, _ = file.New(file.Config{DB: w.db.DB, QuotaServer: w.size() + 500_000})
	if err := w.files.CheckSpace(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.save(w.ada, text(1, 600_000)); core.As(err).Code != "storage_full" {
		t.Errorf("got %v", err)
	}
	full, _ := file.New(file.Config{DB: w.db.DB, QuotaServer: 1})
	if err := full.CheckSpace(t.Context()); core.As(err).Kind != core.StorageFull {
		t.Errorf("got %v", err)
	}
}

// Many uploads can be under way, and each gives back one place once.
func TestUploadsAtOnce(t *testing.T) {
	w := newWorld(t, file.Config{})
	var held []*file.Upload
	for {
		u, err := w.files.Begin(t.Context(), w.ada)
		if err != nil {
			if core.As(err).Code != "too_many_uploads" || len(held) < 32 {
				t.Errorf("upload %d: %v", len(held), err)
			}
			break
		}
		held = append(held, u)
	}
	held[0].Close()
	held[0].Close()
	u, err := w.files.Begin(t.Context(), w.ada)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.files.Begin(t.Context(), w.ada); core.As(err).Code != "too_many_uploads" {
		t.Errorf("an upload that was closed twice gave back two places: %v", err)
	}
	for _, u := range append(held, u) {
		u.Close()
	}
}

type cutOff struct{ io.Reader }

func (c cutOff) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// An upload that is cut off, or that ends while it is stored, leaves nothing.
func TestCutOffUploadsLeaveNothing(t *testing.T) {
	w := newWorld(t, file.Config{})
	before := w.size()
	for _, n := range []int{0, 10, 1 << 20, 5 << 20} {
		u, err := w.files.Begin(t.Context(), w.ada)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Receive(cutOff{strings.NewReader(text(1, n))}, "a.txt"); core.As(err).Kind != core.Invalid {
			t.Errorf("%d bytes: %v", n, err)
		}
		u.Close()
	}
	u, err := w.files.Begin(t.Context(), w.ada)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if err := u.Receive(bytes.NewReader([]byte(text(2, 2<<20))), "a.txt"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, cancel)
	if _, err := w.files.SaveAttachment(ctx, w.ada, u); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	} else if err == nil {
		t.Log("the upload was faster than its end")
		return
	}
	w.db.Clock.Advance(2 * time.Hour)
	if err := w.files.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := w.size(); after > before+100_000 || w.used(w.Ada) != 0 {
		t.Errorf("%d bytes are left", after-before)
	}
	if left, _ := filepath.Glob(w.db.Path() + ".upload-*"); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestSafeName(t *testing.T) {
	for _, c := range [][3]string{
		{"../../etc/passwd", "text/plain", "passwd.txt"},
		{"event.ics", "text/plain", "event.ics"},
		{"IMG_1.HEIC", media.Download, "IMG_1.HEIC"},
		{"Makefile", media.Download, "Makefile"},
		{`C:\fakepath\Photo.JPEG`, "image/jpeg", "Photo.JPEG"},
		{"evil.html", "image/png", "evil.html.png"},
		{"a\r\nX-Evil: 1.png", "image/png", "aX-Evil 1.png"},
		{"gnp.\u202eexe", "image/png", "gnp.exe.png"},
		{"", "application/pdf", "file.pdf"},
		{"...", "application/pdf", "file.pdf"},
		{strings.Repeat("x", 500) + ".png", "image/png", strings.Repeat("x", 120) + ".png"},
		{"Überraschung 🎂.pdf", "application/pdf", "Überraschung 🎂.pdf"},
	} {
		if got := file.SafeName(c[0], c[1]); got != c[2] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[2])
		}
	}
}
