package people

import (
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// Exports returns the package's part of an account's export.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{
		"blockedUsers": core.ExportValue(s.db, func(r *store.Reader, by store.Viewer) ([]Block, error) { return listBlocks(r, by, core.None{}) }),
		// One list: friends, received requests and sent requests.
		"friendConnections": core.ExportValue(s.db, func(r *store.Reader, by store.Viewer) ([]Friend, error) {
			all, err := listFriends(r, by, core.None{})
			return slices.Concat(all.Friends, all.Incoming, all.Outgoing), err
		}),
	}
}
