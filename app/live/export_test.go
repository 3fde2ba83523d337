package live

// Seal returns the id of an event as clients see it.
func (h *Hub) Seal(id int64) string { return h.ids.Seal(id) }

// Open returns the number of the event with the id.
func (h *Hub) Open(sealed string) (int64, bool) { return h.ids.Open(sealed) }
