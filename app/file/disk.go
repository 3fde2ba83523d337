package file

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"hearth/app/core"
)

// State says how much storage is left.
type State string

const (
	// OK is the state with enough storage.
	OK State = "ok"
	// Low is the state in which administrators should make room.
	Low State = "low"
	// Full is the state in which nothing new is stored.
	Full State = "full"
)

// lowFactor is how many times the reserve must be free for the state OK.
const lowFactor = 4

// Disk is the file system of the database.
type Disk struct {
	Free    int64 // bytes; -1 if it is not known
	Reserve int64 // bytes below which nothing new is stored; 0 if the space is not watched
	State   State
}

// disk watches the free space beside the database.
type disk struct {
	folder  string
	reserve int64 // below 0, it is not watched
	free    func(folder string) (int64, bool)
	log     *slog.Logger

	mu   sync.Mutex
	last State
}

func newDisk(c Config) *disk {
	return &disk{folder: filepath.Dir(c.DB.Path()), reserve: c.DiskReserve, free: freeBytes, log: c.Log, last: OK}
}

// get returns the state. A change of it is logged.
func (d *disk) get() Disk {
	if d.reserve < 0 {
		return Disk{Free: -1, State: OK}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	free, known := d.free(d.folder)
	next := Disk{Free: free, Reserve: d.reserve, State: OK}
	switch {
	case !known:
		next.Free = -1
	case free < d.reserve:
		next.State = Full
	case free < lowFactor*d.reserve:
		next.State = Low
	}
	if next.State != d.last {
		d.report(next)
	}
	d.last = next.State
	return next
}

// has reports whether n bytes can be written to the disk so that its reserve remains.
func (d *disk) has(n int64) bool {
	now := d.get()
	return now.Reserve == 0 || now.Free < 0 || now.Free-n >= now.Reserve
}

func (d *disk) report(next Disk) {
	attrs := []any{"folder", d.folder, "free", core.Size(next.Free), "reserve", core.Size(d.reserve)}
	switch next.State {
	case Full:
		d.log.Error("the disk is full but for the reserve; nothing new is stored until there is room", attrs...)
	case Low:
		d.log.Warn("the disk is nearly full; make room, or nothing new will be stored", attrs...)
	default:
		d.log.Info("the disk has room again", attrs...)
	}
}

// Disk returns how much is free on the file system of the database.
func (s *Store) Disk() Disk { return s.disk.get() }

// WatchDisk logs a change of the free space, for a server without writes.
func (s *Store) WatchDisk(context.Context) error {
	s.disk.get()
	return nil
}

// State returns how much storage is left of the disk and of the server's quota. A
// nil Store has enough.
func (s *Store) State(ctx context.Context) State {
	if s == nil {
		return OK
	}
	state, err := s.space(ctx)
	if err != nil {
		return Full
	}
	return state
}
