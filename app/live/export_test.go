package live

// Seal returns the id that clients are given for an event.
func (h *Hub) Seal(id int64) string { return h.numbers.Seal(id) }

// Open returns the number of the event that a client was given the id of.
func (h *Hub) Open(sealed string) (int64, bool) { return h.numbers.Open(sealed) }
