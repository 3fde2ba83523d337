package live

import (
	"context"

	"hearth/store"
)

// Position returns the end of the event log as a stream takes it in
// lastEventId: the stream then begins with the first event after this moment.
func (h *Hub) Position(ctx context.Context) (string, error) {
	var newest int64
	err := h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		_, newest, err = r.EventRange()
		return err
	})
	return h.ids.SealPosition(newest), err
}
