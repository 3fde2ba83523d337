// Package file takes uploaded files: it receives them, inspects them, stores them
// in small writes within the quotas, and reads them.
package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/semaphore"

	"hearth/app/core"
	"hearth/store"
)

const (
	// MaxSize is the size of the largest file in bytes, and MaxRecording that of
	// the largest sound or video.
	MaxSize      = 20 << 20
	MaxRecording = 10 << 20
	// maxUploads bounds how many files are received at once.
	maxUploads = 256
)

// Config is what New needs.
type Config struct {
	DB           *store.DB
	QuotaAccount int64 // bytes, of a person and their bots; 0 is 2 GiB
	QuotaServer  int64 // bytes of the database; 0 is none
	DiskReserve  int64 // bytes of the disk that stay free; 0 is 256 MiB, below 0 the disk is not watched
	Log          *slog.Logger
}

// Store receives, stores and reads files. It is safe for concurrent use.
type Store struct {
	cfg     Config
	db      *store.DB
	disk    *disk
	uploads *semaphore.Weighted // files that are received
	saving  *semaphore.Weighted // files that are inspected and stored
}

// New returns a store on c.DB. What uploads left
// behind when an earlier process was killed is deleted: temporary files at once,
// blobs by Prune.
func New(c Config) (*Store, error) {
	c.QuotaAccount, c.DiskReserve, c.Log = cmp.Or(c.QuotaAccount, 2<<30), cmp.Or(c.DiskReserve, 256<<20), cmp.Or(c.Log, slog.Default())
	s := &Store{cfg: c, db: c.DB, disk: newDisk(c), uploads: semaphore.NewWeighted(maxUploads),
		saving: semaphore.NewWeighted(int64(runtime.NumCPU()))}
	left, err := filepath.Glob(s.pattern())
	for _, name := range left {
		err = errors.Join(err, os.Remove(name))
	}
	if err = errors.Join(err, c.DB.Write(context.Background(), (*store.Tx).DropBlobs)); err != nil {
		return nil, fmt.Errorf("cannot delete the rest of an upload: %w", err)
	}
	return s, nil
}

// pattern is that of the names of temporary files, which are beside the database.
func (s *Store) pattern() string { return s.db.Path() + ".upload-*" }

// Quota returns how many bytes each person and their bots can use.
func (s *Store) Quota() int64 { return s.cfg.QuotaAccount }

// The errors of quotas.
var (
	errStorageFull = core.New(core.StorageFull, "storage_full",
		"This server has no storage left for new content. Reading and deleting still work. Tell its administrators.")
	errQuota = core.New(core.StorageFull, "quota_exceeded",
		"The file does not fit into the storage that your account has left. Send a smaller one, or delete messages with large files, then try "+
			"again.")
)

// CheckSpace is for operations that add content. It returns an error if the
// database has reached the server's quota, or the disk has only its reserve left.
func (s *Store) CheckSpace(ctx context.Context) error {
	switch state, err := s.space(ctx); {
	case err != nil:
		return err
	case state == Full:
		return errStorageFull
	}
	return nil
}

// space returns how much storage is left of the disk and of the server's quota.
func (s *Store) space(ctx context.Context) (state State, err error) {
	if state = s.disk.get().State; state == Full || s.cfg.QuotaServer == 0 {
		return state, nil
	}
	size, err := store.Get(ctx, s.db, (*store.Reader).DatabaseBytes)
	switch {
	case size >= s.cfg.QuotaServer:
		state = Full
	case size >= s.cfg.QuotaServer-s.cfg.QuotaServer/10:
		state = Low
	}
	return state, err
}

// checkQuotas returns an error if by cannot store another n bytes.
func (s *Store) checkQuotas(r *store.Reader, by store.Viewer, n int64) error {
	if !s.disk.has(n) {
		return errStorageFull
	}
	if s.cfg.QuotaServer > 0 {
		if size, err := r.DatabaseBytes(); err != nil || size+n > s.cfg.QuotaServer {
			return cmp.Or(err, error(errStorageFull))
		}
	}
	if !by.SignedIn() { // somebody who joins, with a picture
		return nil
	}
	if used, err := r.StorageUsed(by.UserID); err != nil || used+n > s.cfg.QuotaAccount {
		return cmp.Or(err, error(errQuota))
	}
	return nil
}
