package op

import (
	"testing"
	"time"

	"hearth/app/core"
)

func TestLimitsEvictFullBuckets(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := NewLimits(func() time.Time { return now }, false)
	limit := Limit{Burst: 2, Every: time.Minute}
	for i := range maxBuckets {
		if err := l.use(bucketKey{key: string(rune(i + 0x10000))}, limit); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(time.Hour)
	if err := l.use(bucketKey{key: "one more"}, limit); err != nil || len(l.buckets) != 1 {
		t.Errorf("%d buckets are left, %v", len(l.buckets), err)
	}
	for range 2 {
		l.use(bucketKey{key: "busy"}, limit)
	}
	if err := l.use(bucketKey{key: "busy"}, limit); !core.IsKind(err, core.TooMany) {
		t.Errorf("got %v", err)
	}
}
