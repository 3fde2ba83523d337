package file

import (
	"context"

	"hearth/store"
)

// checkQuotas returns an error if by cannot store another n bytes.
func (s *Store) checkQuotas(r *store.Reader, by store.Viewer, n int64) error {
	if err := s.checkDisk(n); err != nil {
		return err
	}
	size, used, err := s.usage(r, by)
	if err != nil {
		return err
	}
	return s.compare(size, used, n, n)
}

// checkDisk returns an error if the disk has no room for another n bytes.
func (s *Store) checkDisk(n int64) error {
	if !s.disk.has(n) {
		return errStorageFull
	}
	return nil
}

// usage returns how many bytes the database takes, which is 0 unless it is
// limited, and how many the person of by and their bots use.
func (s *Store) usage(r *store.Reader, by store.Viewer) (size, used int64, err error) {
	if s.server > 0 {
		size, err = r.DatabaseBytes()
	}
	if err == nil {
		used, err = r.StorageUsed(by.UserID)
	}
	return size, used, err
}

// compare returns an error if pending bytes do not fit beside the size of the
// database, or storing bytes beside those that a person and their bots use.
func (s *Store) compare(size, used, pending, storing int64) error {
	if s.server > 0 && size+pending > s.server {
		return errStorageFull
	}
	if used+storing > s.quota {
		return errQuota
	}
	return nil
}

// A reservation is storage that an upload is about to fill. The bytes count for
// the quotas from then on: of many uploads at once only those are begun that fit
// together.
type reservation struct {
	s       *Store
	person  string
	size    int64
	pending int64 // not in the database yet
}

// reserve reserves n bytes for by, or returns why it cannot store them. The caller
// must call end.
func (s *Store) reserve(ctx context.Context, by store.Viewer, n int64) (*reservation, error) {
	if err := s.checkDisk(n); err != nil {
		return nil, err
	}
	var size, used int64
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		size, used, err = s.usage(r, by)
		return err
	})
	if err != nil {
		return nil, err
	}
	person := by.PersonID()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkDisk(s.pending + n); err != nil {
		return nil, err
	}
	if err := s.compare(size, used, s.pending+n, s.storing[person]+n); err != nil {
		return nil, err
	}
	s.storing[person] += n
	s.pending += n
	return &reservation{s, person, n, n}, nil
}

// wrote notes that n of the bytes are in the database.
func (r *reservation) wrote(n int64) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.pending -= n
	r.s.pending -= n
}

func (r *reservation) end() {
	r.wrote(r.pending)
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.s.storing[r.person] -= r.size; r.s.storing[r.person] == 0 {
		delete(r.s.storing, r.person)
	}
}
