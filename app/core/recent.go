package core

import (
	"container/heap"
	"net/netip"
	"time"
)

// Recent holds values of what happened lately, each until a time after which it says
// nothing any more. When there are more than Max, the one whose time comes first gives
// way, so that values that say much are not lost to many that say little. It is not safe
// for concurrent use.
type Recent[K comparable, V any] struct {
	Max int // unbounded if 0

	entries  map[K]*recent[K, V]
	order    recentHeap[K, V]
	networks map[string]int // how many entries are of an IPv6 network
}

type recent[K comparable, V any] struct {
	key     K
	value   V
	network string
	until   time.Time
	at      int // in the heap
}

// maxOfNetwork is how many addresses of one IPv6 network count for themselves while
// there are many of others.
const maxOfNetwork = 64

// Get returns the value of key and until when it is kept, or zero values.
func (r *Recent[K, V]) Get(key K) (v V, until time.Time) {
	if e := r.entries[key]; e != nil {
		return e.value, e.until
	}
	return v, until
}

// Set keeps the value of key, which is of an address or of "", until a time. It forgets
// values whose time was before now.
func (r *Recent[K, V]) Set(key K, address string, v V, until, now time.Time) {
	if e := r.entries[key]; e != nil {
		e.value, e.until = v, until
		heap.Fix(&r.order, e.at)
		return
	}
	for range 2 { // more than are added, so that those whose time was become few
		if len(r.order) > 0 && !r.order[0].until.After(now) {
			r.drop()
		}
	}
	if r.Max > 0 && len(r.order) >= r.Max {
		r.drop()
	}
	e := &recent[K, V]{key: key, value: v, network: ipv6Network(address), until: until}
	if r.entries == nil {
		r.entries, r.networks = map[K]*recent[K, V]{}, map[string]int{}
	}
	r.entries[key] = e
	if e.network != "" {
		r.networks[e.network]++
	}
	heap.Push(&r.order, e)
}

func (r *Recent[K, V]) drop() {
	e := heap.Pop(&r.order).(*recent[K, V])
	delete(r.entries, e.key)
	if e.network == "" {
		return
	}
	if r.networks[e.network]--; r.networks[e.network] == 0 {
		delete(r.networks, e.network)
	}
}

// Len returns how many values are kept.
func (r *Recent[K, V]) Len() int { return len(r.order) }

// Fold returns what an address is to count under: its network while at least half of Max
// is kept and many values are of that network, otherwise the address.
func (r *Recent[K, V]) Fold(address string) string {
	if r.Max == 0 || 2*len(r.order) < r.Max {
		return address
	}
	if n := ipv6Network(address); n != "" && r.networks[n] >= maxOfNetwork {
		return n
	}
	return address
}

// Network returns the /48 of an IPv6 address or prefix, which is the most that one
// customer usually has, and anything else as it is.
func Network(address string) string {
	if n := ipv6Network(address); n != "" {
		return n
	}
	return address
}

func ipv6Network(address string) string {
	p, err := netip.ParsePrefix(address)
	if err != nil || p.Addr().Is4() || p.Bits() < 48 {
		return ""
	}
	p, _ = p.Addr().Prefix(48)
	return p.String()
}

type recentHeap[K comparable, V any] []*recent[K, V]

func (h recentHeap[K, V]) Len() int           { return len(h) }
func (h recentHeap[K, V]) Less(i, j int) bool { return h[i].until.Before(h[j].until) }
func (h recentHeap[K, V]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

func (h *recentHeap[K, V]) Push(x any) {
	e := x.(*recent[K, V])
	e.at = len(*h)
	*h = append(*h, e)
}

func (h *recentHeap[K, V]) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
