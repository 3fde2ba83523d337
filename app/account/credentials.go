package account

import (
	"crypto/sha256"

	"hearth/store"
)

// credentialKey identifies a bearer token or a cookie by its hash. With the kind in it, neither is accepted as the
// other.
type credentialKey struct {
	cookie bool
	hash   [sha256.Size]byte
}

func (s *Service) identified(key credentialKey, read func() (store.Viewer, error)) (store.Viewer, error) {
	if v, ok := s.credentials.Get(key); ok && (v.Until == 0 || v.Until > s.db.Now()) {
		return v, nil
	}
	generation := s.credentials.Generation()
	v, err := read()
	if err == nil {
		v.Generation = generation + 1
		s.credentials.Put(key, v.UserID, v, generation)
	}
	return v, err
}
