package core

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseSize parses a number of bytes such as 500MiB, 2GiB, 20 MB or 4096. An
// empty text is 0.
func ParseSize(s string) (int64, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(s, "KMGTiBkmgtb ")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no size", s)
	}
	unit := strings.ToLower(strings.TrimSpace(s[len(digits):]))
	factor := map[string]int64{"": 1, "b": 1,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
		"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}[unit]
	if factor == 0 || n > (1<<62)/factor {
		return 0, fmt.Errorf("%q is no size", s)
	}
	return n * factor, nil
}
