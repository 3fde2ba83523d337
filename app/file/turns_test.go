package file

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearth/app/media"
	"hearth/store"
	"hearth/store/storetest"
)

// slow is a file that arrives once it is released.
type slow struct {
	*bytes.Reader
	release chan struct{}
}

func (s slow) ReadAt(b []byte, at int64) (int, error) {
	<-s.release
	return s.Reader.ReadAt(b, at)
}

// openStore returns a store on a database that can be opened within a bubble.
func openStore(t *testing.T) (*Store, storetest.Cast) {
	t.Helper()
	clock := store.NewManualClock(storetest.Epoch)
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"), store.Options{Schema: storetest.Schema(t), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := New(Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	return s, storetest.People(t, &storetest.DB{DB: db, Clock: clock})
}

// Pictures wait for those of the same person and of their bots, and not for those of
// others.
func TestPicturesTakeTurnsByPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cast := openStore(t)
		var picture bytes.Buffer
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
			t.Fatal(err)
		}
		release := hold(t, s.decoder, cast.Ada.ID, picture.Bytes())
		for name, save := range map[string]func(context.Context, store.Viewer, *Upload) error{
			"file": func(ctx context.Context, by store.Viewer, u *Upload) error {
				_, err := s.SaveAttachment(ctx, by, u)
				return err
			},
			"profile picture": func(ctx context.Context, by store.Viewer, u *Upload) error {
				return s.SaveAvatar(ctx, by, u, func(*store.Tx, store.Picture) error { return nil })
			},
		} {
			bot := storetest.Human(cast.Cleo)
			bot.OwnerID = cast.Ada.ID
			for _, by := range []store.Viewer{storetest.Human(cast.Ada), bot} {
				// In a bubble, this ends only if the picture waits.
				if err := upload(t, s, by, picture.Bytes(), save); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a %s of %s beside two of Ada: %v", name, by.Name, err)
				}
			}
			if err := upload(t, s, storetest.Human(cast.Ben), picture.Bytes(), save); err != nil {
				t.Errorf("a %s of Ben beside two of Ada: %v", name, err)
			}
		}
		release()
	})
}

// hold has two pictures of a person decoded, as many as can be at once, until they are
// released.
func hold(t *testing.T, d *media.Decoder, person string, picture []byte) (release func()) {
	t.Helper()
	var running sync.WaitGroup
	open := make(chan struct{})
	close(open)
	file := &slow{bytes.NewReader(picture), open}
	f, err := media.Inspect(file, int64(len(picture)))
	if err != nil {
		t.Fatal(err)
	}
	file.release = make(chan struct{})
	for range 2 {
		running.Go(func() {
			if _, err := d.Preview(t.Context(), person, f); err != nil {
				t.Error(err)
			}
		})
	}
	synctest.Wait()
	return func() { close(file.release); running.Wait() }
}

// upload uploads a picture of by within a minute.
func upload(t *testing.T, s *Store, by store.Viewer, picture []byte, save func(context.Context, store.Viewer, *Upload) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	u, err := s.Begin(ctx, by)
	if err != nil {
		return err
	}
	defer u.Close()
	if err := u.Receive(bytes.NewReader(picture), "picture.png"); err != nil {
		return err
	}
	return save(ctx, by, u)
}
