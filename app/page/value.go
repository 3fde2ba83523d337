package page

import "hearth/store"

// orEmpty returns what p points to, "" for nil.
func orEmpty(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// orZero returns what t points to, 0 for nil.
func orZero(t *store.Time) store.Time {
	if t == nil {
		return 0
	}
	return *t
}
