package store_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// fill writes n rows.
func fill(t *testing.T, db *store.DB, prefix string, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			err := db.Write(context.Background(), func(tx *store.Tx) error {
				return tx.SetSetting(fmt.Sprintf("%s%05d", prefix, i), strings.Repeat("v", 200))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// madeBackup returns the paths of a closed database and of a backup of it.
func madeBackup(t *testing.T) (db, backup string) {
	t.Helper()
	dir := t.TempDir()
	db, backup = filepath.Join(dir, "h.db"), filepath.Join(dir, "backup.db")
	d := openAt(t, db)
	fill(t, d, "row", 300)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := backUp(t, db, backup); err != nil {
		t.Fatal(err)
	}
	return db, backup
}

// backUp makes a backup of a closed database.
func backUp(t *testing.T, db, backup string) error {
	t.Helper()
	d := openAt(t, db)
	_, err := store.MakeBackup(context.Background(), d, backup, storetest.Epoch, nil)
	return errors.Join(err, d.Close())
}

func openAt(t *testing.T, path string) *store.DB {
	t.Helper()
	d, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t),
		Now: store.NewManualClock(storetest.Epoch).Now})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func settings(t *testing.T, path, prefix string) (n int) {
	t.Helper()
	d := openAt(t, path)
	defer d.Close()
	err := d.Read(context.Background(), func(r *store.Reader) error {
		for i := range 1000 {
			v, err := r.Setting(fmt.Sprintf("%s%05d", prefix, i))
			if err != nil {
				return err
			}
			if v != "" {
				n++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A backup of a database that is being written to is one consistent state with
// every write that was acknowledged before it started.
func TestBackupUnderLoad(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, filepath.Join(dir, "h.db"))
	defer db.Close()
	fill(t, db, "before", 500)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				err := db.Write(context.Background(), func(tx *store.Tx) error {
					if err := tx.SetSetting(fmt.Sprintf("pair%d.a", w), fmt.Sprint(i)); err != nil {
						return err
					}
					return tx.SetSetting(fmt.Sprintf("pair%d.b", w), fmt.Sprint(i))
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	to := filepath.Join(dir, "backup.db")
	var stages []string
	m, err := store.MakeBackup(context.Background(), db, to, storetest.Epoch, func(doing string, done, total int64) {
		if len(stages) == 0 || stages[len(stages)-1] != doing {
			stages = append(stages, doing)
		}
	})
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows["setting"] < 500 || m.SchemaVersion < 1 || len(m.SHA256) != 64 || m.MadeAt != store.TimeOf(storetest.Epoch) {
		t.Errorf("manifest %+v", m)
	}
	if len(stages) < 3 {
		t.Errorf("progress was reported of %v only", stages)
	}
	for _, name := range []string{to, store.ManifestPath(to)} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, want a file only its owner can read", name, fi.Mode())
		}
	}
	rep, err := store.Verify(context.Background(), storetest.Schema(t), to, nil)
	if err != nil || len(rep.Broken) > 0 || rep.Manifest == nil {
		t.Fatalf("verify: %+v, %v", rep, err)
	}
	if n := settings(t, to, "before"); n != 500 {
		t.Errorf("%d of 500 rows are in the backup", n)
	}
	b := openAt(t, to)
	defer b.Close()
	b.Read(context.Background(), func(r *store.Reader) error {
		for w := range 4 {
			x, _ := r.Setting(fmt.Sprintf("pair%d.a", w))
			if y, _ := r.Setting(fmt.Sprintf("pair%d.b", w)); x != y {
				t.Errorf("a partial write is in the backup: %q and %q", x, y)
			}
		}
		return nil
	})
}

func TestBackupRefuses(t *testing.T) {
	db, backup := madeBackup(t)
	dir := filepath.Dir(db)
	for to, want := range map[string]string{backup: "exists already", filepath.Join(dir, "no", "such", "folder"): "no such file"} {
		if err := backUp(t, db, to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("backup to %s: %v, want %q", to, err, want)
		}
	}
}

// A backup that fails or is given up while the pages arrive leaves no file.
func TestUnfinishedBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := openAt(t, filepath.Join(dir, "h.db"))
	defer db.Close()
	fill(t, db, "row", 300)
	for _, doing := range []string{"copying", "compacting", "reading the copy back"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := store.MakeBackup(ctx, db, filepath.Join(dir, "x"), storetest.Epoch, func(now string, _, _ int64) {
			if now == doing {
				cancel()
			}
		})
		if left, _ := filepath.Glob(filepath.Join(dir, "x*")); err == nil || len(left) > 0 {
			t.Errorf("%s: %v, left behind: %v", doing, err, left)
		}
		cancel()
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Copy(t.Context(), io.Discard); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a copy of a closed database: %v", err)
	}
}

// A database is replaced by its backup and serves again.
func TestRestore(t *testing.T) {
	t.Parallel()
	db, backup := madeBackup(t)
	d := openAt(t, db)
	fill(t, d, "later", 50)
	err := d.Write(context.Background(), func(tx *store.Tx) error {
		return tx.Emit(store.Event{Topic: "t", Kind: "lost", ObjectID: "o"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	before := read(t, db)
	aside, rep, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil)
	if err != nil || len(rep.Broken) > 0 || rep.Manifest == nil {
		t.Fatalf("restore: %+v, %v", rep, err)
	}
	if !bytes.Equal(read(t, aside), before) {
		t.Error("the database moved aside is not the one replaced")
	}
	if newest, lost := newestEvent(t, db), newestEvent(t, aside); newest <= lost {
		t.Errorf("new events start at %d, though %d was used", newest, lost)
	}
	if fi, _ := os.Stat(db); fi.Mode().Perm() != 0o600 {
		t.Errorf("the restored file has mode %v", fi.Mode())
	}
	if n := settings(t, db, "row"); n != 300 {
		t.Errorf("%d of 300 rows came back", n)
	}
	if n := settings(t, db, "later"); n != 0 {
		t.Errorf("%d rows from after the backup are there", n)
	}
	again, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil)
	if err != nil || again == aside {
		t.Errorf("a second restore at the same moment: %q, %v", again, err)
	}
	if !bytes.Equal(read(t, aside), before) {
		t.Error("the second restore overwrote the database the first had moved aside")
	}
	fresh := filepath.Join(t.TempDir(), "new.db")
	if aside, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, fresh, storetest.Epoch, nil); err != nil ||
		aside != "" {
		t.Errorf("restore to a new place: %q, %v", aside, err)
	}
}

// newestEvent returns the highest number given to an event.
func newestEvent(t *testing.T, path string) (newest int64) {
	t.Helper()
	d := openAt(t, path)
	defer d.Close()
	err := d.Read(context.Background(), func(r *store.Reader) (err error) {
		_, newest, err = r.EventRange()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return newest
}

func TestRestoreWithoutManifest(t *testing.T) {
	t.Parallel()
	db, backup := madeBackup(t)
	os.Remove(store.ManifestPath(backup))
	if _, rep, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil); err != nil ||
		rep.Manifest != nil {
		t.Errorf("restore without manifest: %+v, %v", rep, err)
	}
}

// A refusal leaves the target and the backup as they were.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	sound, soundBackup := madeBackup(t)
	for _, c := range []struct {
		name, want string
		spoil      func(t *testing.T, db, backup string) (from string)
	}{
		{"live", "is serving", func(t *testing.T, db, backup string) string {
			d := openAt(t, db)
			t.Cleanup(func() { d.Close() })
			return backup
		}},
		{"wal", "-wal was left by a run", func(t *testing.T, db, backup string) string {
			os.WriteFile(db+"-wal", []byte("frames"), 0o600)
			return backup
		}},
		{"shm", "-shm was left by a run", func(t *testing.T, db, backup string) string {
			os.WriteFile(db+"-shm", []byte("index"), 0o600)
			return backup
		}},
		{"flipped byte", "SHA-256 differs", func(t *testing.T, db, backup string) string {
			b := read(t, backup)
			b[len(b)-100] ^= 1
			os.WriteFile(backup, b, 0o600)
			return backup
		}},
		{"cut", "its manifest says", func(t *testing.T, db, backup string) string {
			b := read(t, backup)
			os.WriteFile(backup, b[:len(b)-4096], 0o600)
			return backup
		}},
		{"cut without manifest", "is broken", func(t *testing.T, db, backup string) string {
			os.Remove(store.ManifestPath(backup))
			b := read(t, backup)
			os.WriteFile(backup, b[:len(b)/2], 0o600)
			return backup
		}},
		{"broken rule", "broken: the clock", func(t *testing.T, db, backup string) string {
			os.Remove(store.ManifestPath(backup))
			alter(t, backup, `INSERT INTO event (topic, kind, object_id, at) VALUES ('t', 'k', 'o', 9e15)`)
			return backup
		}},
		{"no version", "there is no schema version 0", func(t *testing.T, db, backup string) string {
			os.Remove(store.ManifestPath(backup))
			alter(t, backup, `PRAGMA user_version = 0`)
			return backup
		}},
		{"garbled manifest", "cannot be trusted", func(t *testing.T, db, backup string) string {
			os.WriteFile(store.ManifestPath(backup), []byte("{"), 0o600)
			return backup
		}},
		{"newer", "written by a newer hearth", func(t *testing.T, db, backup string) string {
			os.Remove(store.ManifestPath(backup))
			alter(t, backup, `PRAGMA user_version = 9999`)
			return backup
		}},
		{"foreign", "belongs to another program", func(t *testing.T, db, backup string) string { return foreignFile(t) }},
		{"text", "is not a hearth database", func(t *testing.T, db, backup string) string {
			name := filepath.Join(t.TempDir(), "t")
			os.WriteFile(name, []byte("hello"), 0o600)
			return name
		}},
		{"missing", "no such file", func(t *testing.T, db, backup string) string { return backup + "x" }},
		{"journal", "-journal was left by a run", func(t *testing.T, db, backup string) string {
			os.WriteFile(db+"-journal", []byte("pages"), 0o600)
			return backup
		}},
		{"in use", "is a database in use", func(t *testing.T, db, backup string) string {
			os.WriteFile(backup+"-wal", nil, 0o600)
			return backup
		}},
		{"in use by its index", "is a database in use", func(t *testing.T, db, backup string) string {
			os.WriteFile(backup+"-shm", nil, 0o600)
			return backup
		}},
		{"in use with a journal", "is a database in use", func(t *testing.T, db, backup string) string {
			os.WriteFile(backup+"-journal", nil, 0o600)
			return backup
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			db, backup := filepath.Join(dir, "h.db"), filepath.Join(dir, "backup.db")
			for from, to := range map[string]string{sound: db, soundBackup: backup, store.ManifestPath(soundBackup): store.ManifestPath(backup)} {
				if err := os.WriteFile(to, read(t, from), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			from := c.spoil(t, db, backup)
			target, source := read(t, db), maybeRead(from)
			_, _, err := store.Restore(context.Background(), storetest.Schema(t), from, db, storetest.Epoch, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("restore: %v, want %q", err, c.want)
			}
			if !bytes.Equal(read(t, db), target) || !bytes.Equal(maybeRead(from), source) {
				t.Error("a refused restore changed a file")
			}
			if left, _ := filepath.Glob(db + ".*[a-z]"); len(left) > 0 {
				t.Errorf("a refused restore left %v", left)
			}
		})
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	db, backup := madeBackup(t)
	d := openAt(t, db)
	rep, err := store.Verify(context.Background(), storetest.Schema(t), db, nil)
	if err != nil || !rep.Served || len(rep.Broken) > 0 {
		t.Errorf("verify of a served database: %+v, %v", rep, err)
	}
	d.Close()
	if rep, err := store.Verify(context.Background(), storetest.Schema(t), db, nil); err != nil || rep.Served || len(rep.Broken) > 0 ||
		rep.SchemaVersion < 1 {
		t.Errorf("verify of a closed database: %+v, %v", rep, err)
	}
	b := read(t, backup)
	binary.BigEndian.PutUint32(b[len(b)-2048:], 0xdeadbeef)
	os.WriteFile(backup, b, 0o600)
	if rep, err := store.Verify(context.Background(), storetest.Schema(t), backup, nil); err != nil || len(rep.Broken) == 0 {
		t.Errorf("verify of a changed backup: %+v, %v", rep, err)
	}
	if _, err := store.Verify(context.Background(), storetest.Schema(t), foreignFile(t), nil); err == nil {
		t.Error("a foreign file is verified")
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func maybeRead(name string) []byte {
	b, _ := os.ReadFile(name)
	return b
}

// alter runs a statement on a file without the store.
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

// foreignFile creates a SQLite database of another program.
func foreignFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "foreign.db")
	alter(t, name, `CREATE TABLE cooking (recipe TEXT)`)
	return name
}

// Files are compared with what was stored: also without a manifest, and when SQLite
// finds nothing wrong.
func TestVerifyComparesFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h.db")
	db := openAt(t, path)
	content := bytes.Repeat([]byte("file "), store.PartSize/4)
	sum := sha256.Sum256(content)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		u, err := tx.InsertUser(store.User{Email: "ada@example.org", Name: "Ada", SignupProvider: "test"})
		if err != nil {
			return err
		}
		id, err := tx.InsertBlob(int64(len(content)))
		for n, part := range slices.Collect(slices.Chunk(content, store.PartSize)) {
			err = cmp.Or(err, tx.WritePart(id, n, part))
		}
		if err == nil {
			id, err = tx.FinishBlob(id, hex.EncodeToString(sum[:]))
		}
		if err == nil {
			_, err = tx.InsertAttachment(store.Attachment{UserID: u.ID, BlobID: id, Name: "n", MimeType: "text/plain", Size: int64(len(content))},
				1<<20)
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string]string{
		`SELECT 1`: "",
		`UPDATE blob_part SET data = CAST(replace(CAST(data AS TEXT), 'file', 'fake') AS BLOB)`: "blob 1: its content is not what was stored",
		`UPDATE blob_part SET data = zeroblob(length(data)) WHERE id % 65536 = 1`:               "blob 1: its content is not what was stored",
	} {
		copied := filepath.Join(t.TempDir(), "copy.db")
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(copied, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		alter(t, copied, change)
		rep, err := store.Verify(t.Context(), storetest.Schema(t), copied, nil)
		if got := strings.Join(rep.Broken, "; "); got != want || err != nil {
			t.Errorf("%s: %q, %v", change, got, err)
		}
	}
}
