package live

// indexed returns the streams under key in one of the hub's indexes.
func (h *Hub) indexed(index map[string]map[*Subscription]struct{}, key string) []*Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	subs := make([]*Subscription, 0, len(index[key]))
	for s := range index[key] {
		subs = append(subs, s)
	}
	return subs
}

// signedIn reports whether any stream is one of an account.
func (h *Hub) signedIn() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.users) > 0
}

// feeds returns all streams that are not of a list, those of Context lanes too.
func (h *Hub) feeds() (subs []*Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		if s.list == "" && !s.held {
			subs = append(subs, s)
		}
	}
	return subs
}

func addTo(index map[string]map[*Subscription]struct{}, key string, s *Subscription) {
	if key == "" {
		return
	}
	if index[key] == nil {
		index[key] = map[*Subscription]struct{}{}
	}
	index[key][s] = struct{}{}
}

func removeFrom(index map[string]map[*Subscription]struct{}, key string, s *Subscription) {
	delete(index[key], s)
	if len(index[key]) == 0 {
		delete(index, key)
	}
}
