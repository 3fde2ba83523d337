package core

import "github.com/dustin/go-humanize"

// Size returns a size for people, such as "1.2 MB".
func Size(n int64) string { return humanize.Bytes(uint64(n)) }
