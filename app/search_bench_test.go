package app_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// searchTexts makes messages of about twelve words. A few of the words are frequent.
type searchTexts struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newSearchTexts() *searchTexts {
	r := rand.New(rand.NewSource(1))
	t := &searchTexts{r: r, zipf: rand.NewZipf(r, 1.07, 8, 49_999)}
	for range 50_000 {
		w := make([]byte, 2+r.Intn(5)+r.Intn(5))
		for i := range w {
			w[i] = "etaoinshrdlucmfwypvbgk"[min(r.Intn(22), r.Intn(22))]
		}
		t.words = append(t.words, string(w))
	}
	return t
}

// message returns the text of the nth message, in a conversation of the caller
// or not.
func (t *searchTexts) message(n int, own bool) string {
	words := make([]string, 0, 20)
	for range 6 + t.r.Intn(13) {
		words = append(words, t.words[t.zipf.Uint64()])
	}
	for word, every := range map[string]int{"halfword": 2, "percentword": 100, "millword": 1000, "rareword": 10_000, "会議の議題": 500} {
		if t.r.Intn(every) == 0 {
			words = append(words, word)
		}
	}
	if !own && t.r.Intn(2) == 0 {
		words = append(words, "foreignword")
	}
	return strings.Join(words, " ") + "."
}

const searchConversations = 2000

// fillSearch inserts n messages, a minute apart, into 2,000 groups. ada is in 200 of
// them.
func fillSearch(b *testing.B, s *benchServer, n int) *searchTexts {
	db := s.app.DB()
	ids := make([]string, searchConversations)
	start := store.TimeOf(time.Now()).Add(-time.Duration(n+1) * time.Minute)
	for i := range ids {
		err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
			tx.Now = start
			ids[i], err = tx.InsertGroup(s.cast.Ben.ID, map[bool][]string{true: {s.cast.Ada.ID}}[i%10 == 0], fmt.Sprint("Group ", i))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	t := newSearchTexts()
	began := time.Now()
	for done := 0; done < n; {
		k := min(n-done, 250)
		ms := make([]store.Message, k)
		for i := range ms {
			c := t.r.Intn(len(ids))
			ms[i] = store.Message{ConversationID: ids[c], SenderID: s.cast.Ben.ID, Content: t.message(done+i, c%10 == 0), Type: "text"}
			if c%10 == 0 && i%10 == 0 {
				ms[i].SenderID = s.cast.Ada.ID
			}
		}
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			for i := range ms {
				m := ms[i]
				tx.Now = start.Add(time.Duration(done+i) * time.Minute)
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		done += k
	}
	b.Logf("%d messages in %v", n, time.Since(began))
	index(b, db)
	return t
}

// query returns one or two words, each as often as it is in messages.
func (t *searchTexts) query() string {
	words := []string{t.words[t.zipf.Uint64()], t.words[t.zipf.Uint64()]}
	return strings.Join(words[t.r.Intn(2):], " ")
}

// index indexes what waits, and reports how long the writes for that took.
func index(b *testing.B, db *store.DB) {
	began, steps, slowest := time.Now(), 0, time.Duration(0)
	for was := true; was; steps++ {
		start := time.Now()
		if err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
			was, err = tx.IndexWords()
			return err
		}); err != nil {
			b.Fatal(err)
		}
		slowest = max(slowest, time.Since(start))
	}
	b.Logf("indexed in %v, %d writes, the slowest %v", time.Since(began), steps, slowest)
}

// BenchmarkSearch searches over HTTP, as a caller who is in a tenth of the
// conversations: 100,000 messages or, with HEARTH_LONG, 1,000,000. "words" is what people search for;
// the others are cases of their own, the worst of them half-of-others.
func BenchmarkSearch(b *testing.B) {
	n := storetest.Rounds(100_000, 1_000_000)
	s := newBenchServer(b)
	texts := fillSearch(b, s, n)
	c := dialRaw(b, s.addr)
	for _, q := range []struct{ name, text string }{
		{"words", ""}, {"half-of-all", "halfword"}, {"percent", "percentword"}, {"rare", "rareword"}, {"absent", "qqqqqq"},
		{"half-of-others", "foreignword"}, {"prefix", "hal"}, {"two-characters", "議題"}, {"two-words", "halfword percentword"},
		{"never-together", "foreignword millword"}, {"sender", "from:me halfword"}, {"conversation", `in:"Group 10" percentword`},
		{"phrase", `"halfword percentword"`}, {"period", "percentword after:2026-01 before:2026-02"},
	} {
		b.Run(q.name, func(b *testing.B) {
			times := make([]time.Duration, 0, b.N)
			for range b.N {
				request := rawRequest("GET", "/api/chat/search?q="+url.QueryEscape(cmp.Or(q.text, texts.query())), s.token("ada"), "")
				start := time.Now()
				if status, _, err := c.do(request); err != nil || status != 200 {
					b.Fatalf("status %d, %v", status, err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
