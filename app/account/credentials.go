package account

import (
	"crypto/sha256"

	"hearth/store"
)

// credentialKey identifies a bearer token or a cookie by its hash. The kind is
// part of it so that neither is accepted as the other.
type credentialKey struct {
	cookie bool
	hash   [sha256.Size]byte
}

// identified returns the viewer of a credential if it is cached and valid still, or else
// from read: a client sends the same credential with each request.
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
