package middleware

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// What is kept of responses is bounded in bytes, however long the addresses are and
// however many of them there are.
func TestETagsAreBounded(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var tags ETags
	long := strings.Repeat("a", 16<<10)
	before := heap()
	put := func(from, to int) {
		for i := from; i < to; i++ {
			tags.Put(strconv.Itoa(i)+long, KnownTag{ETag: ETag("v/", []byte(long[:i%100]))})
		}
	}
	put(0, maxTags)
	if after := heap(); after > before+8<<20 {
		t.Errorf("%d addresses of 16 KiB take %d KiB", maxTags, (after-before)>>10)
	}
	put(maxTags, maxTags+100)
	left := 0
	for i := range maxTags + 100 {
		if tags.Last(strconv.Itoa(i)+long) != (KnownTag{}) {
			left++
		}
	}
	if left != maxTags {
		t.Errorf("%d addresses are known, want %d", left, maxTags)
	}
}
