package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"hearth/store"
)

// BenchmarkListPage reads a page in the middle of a list of 20,000 items and the
// first of one of 200, in turn. "ratio" is the time of the one by that of the
// other.
func BenchmarkListPage(b *testing.B) {
	db, by, lists := benchLists(b, 20_000, 200)
	var took [2]time.Duration
	for n := range 2 * b.N {
		start := time.Now()
		err := db.Read(context.Background(), func(r *store.Reader) error {
			rows, err := r.Items(by, lists[n%2], 100, []int{10_000, 0}[n%2])
			if err == nil && len(rows) != 100 {
				err = fmt.Errorf("%d rows", len(rows))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		took[n%2] += time.Since(start)
	}
	b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "ratio")
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "long-us")
}
