package app_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/social"
	"hearth/store"
)

// intentTexts makes asks and offers from the labelled ones for matching: half of
// them are such a text with a place or a day, and half are words of such texts,
// frequent ones more often.
type intentTexts struct {
	rng   *rand.Rand
	texts []string
	words []string // the most frequent first
	zipf  *rand.Zipf
	ends  []string
}

func newIntentTexts(b *testing.B) *intentTexts {
	b.Helper()
	file, err := os.ReadFile("../testdata/matching/develop/intents.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	g := &intentTexts{rng: rand.New(rand.NewPCG(7, 8))}
	count := map[string]int{}
	for line := range bytes.Lines(file) {
		var in struct{ Terms string }
		if err := json.Unmarshal(line, &in, json.MatchCaseInsensitiveNames(true)); err != nil {
			b.Fatal(err)
		}
		g.texts = append(g.texts, in.Terms)
		for w := range strings.FieldsSeq(in.Terms) {
			if count[w]++; count[w] == 1 {
				g.words = append(g.words, w)
			}
		}
	}
	sort.SliceStable(g.words, func(i, j int) bool { return count[g.words[i]] > count[g.words[j]] })
	g.zipf = rand.NewZipf(g.rng, 1.1, 20, uint64(len(g.words)-1))
	for i := range 300 {
		g.ends = append(g.ends, fmt.Sprint("in ", g.words[len(g.words)-1-i], " ", 10+i))
	}
	g.ends = append(g.ends, "", "", "on saturday", "this weekend", "near the station", "evenings only", "in Berlin", "in Leeds", "urgent!",
		"thanks")
	return g
}

func (g *intentTexts) text() string {
	end := g.ends[g.rng.IntN(len(g.ends))]
	if g.rng.IntN(2) == 0 {
		return strings.TrimSpace(g.texts[g.rng.IntN(len(g.texts))] + " " + end)
	}
	var words []string
	for range 3 + g.rng.IntN(10) {
		words = append(words, g.words[g.zipf.Uint64()])
	}
	return strings.TrimSpace(strings.Join(words, " ") + " " + end)
}

// intent returns an intent: most are an ask or an offer, every eighth an
// exchange, every twelfth is about a goal.
func (g *intentTexts) intent(owner, word string) store.Intent {
	i := store.Intent{
		OwnerID: owner, Kind: []string{"ask", "offer"}[g.rng.IntN(2)], Terms: g.text() + word, MatchingMode: "fulfillment", CloseOnConnect: true,
		Status: "active", Seeks: []string{}, Brings: []string{},
	}
	switch n := g.rng.IntN(24); {
	case n < 3:
		i.MatchingMode, i.Seeks, i.Brings = "reciprocal", []string{g.text()}, []string{g.text() + word}
	case n < 5:
		i.MatchingMode, i.Collaborators, i.Goal = "shared_goal", true, g.text()
		fallthrough
	case i.Kind == "ask":
		i.Seeks = []string{i.Terms}
	default:
		i.Brings = []string{i.Terms}
	}
	return i
}

// publishBench is a server with active intents of many accounts.
type publishBench struct {
	*benchServer
	texts  *intentTexts
	people []store.User
	active int
	shared string // a word of every other intent, or ""
}

func newPublishBench(b *testing.B, shared string) *publishBench {
	p := &publishBench{texts: newIntentTexts(b), shared: shared}
	p.benchServer = newBenchServer(b, func(c *app.Config) { c.OpsAddr = "127.0.0.1:0" })
	p.people = p.benchServer.people(b, 4000)
	return p
}

// grow adds intents until n are active.
func (p *publishBench) grow(b *testing.B, n int) {
	b.Helper()
	for p.active < n {
		k := min(n-p.active, 500)
		intents := make([]store.Intent, k)
		for i := range intents {
			word := ""
			if p.shared != "" && i%2 == 0 {
				word = " " + p.shared
			}
			intents[i] = p.texts.intent(p.people[(p.active+i)%len(p.people)].ID, word)
		}
		p.write(b, func(tx *store.Tx) error {
			for i := range intents {
				tx.Now = tx.Tick()
				if err := tx.InsertIntent(&intents[i]); err != nil {
					return err
				}
			}
			return nil
		})
		p.active += k
	}
}

var writerSum = regexp.MustCompile(`(?m)^hearth_write_commit_seconds_sum (\S+)$`)

// writer returns how long the writer has worked since the start.
func (p *publishBench) writer(b *testing.B) time.Duration {
	b.Helper()
	res, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	m := writerSum.FindSubmatch(text)
	if m == nil {
		b.Fatalf("no such metric: %s", text)
	}
	seconds, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(seconds * float64(time.Second))
}

// publish publishes an intent of ada's and withdraws it, and returns how long
// each took, and the writer for the first.
func (p *publishBench) publish(b *testing.B) (publish, writer, withdraw time.Duration) {
	b.Helper()
	word := ""
	if p.shared != "" {
		word = " " + p.shared
	}
	i := p.texts.intent("", word)
	body, err := json.Marshal(map[string]any{
		"kind": i.Kind, "terms": i.Terms, "goal": i.Goal, "matchingMode": i.MatchingMode, "openToCollaborators": i.Collaborators,
		"seeks": i.Seeks, "brings": i.Brings, "confirm": true,
	})
	if err != nil {
		b.Fatal(err)
	}
	var out social.IntentOut
	before := p.writer(b)
	publish = p.timed(b, "POST", "/api/intents", string(body), &out)
	writer = p.writer(b) - before
	return publish, writer, p.timed(b, "PATCH", "/api/intents/"+out.Intent.ID, `{"status":"withdrawn"}`, &out)
}

// timed sends a request of ada's, reads the response into out, and returns how
// long that took.
func (p *publishBench) timed(b *testing.B, method, path, body string, out any) time.Duration {
	b.Helper()
	token := p.token("ada")
	start := time.Now()
	req, err := http.NewRequest(method, "http://"+p.addr+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	took := time.Since(start)
	if err != nil || res.StatusCode/100 != 2 || json.Unmarshal(text, out) != nil {
		b.Fatalf("%s %s %s: %d %s %v", method, path, body, res.StatusCode, text, err)
	}
	return took
}

// BenchmarkPublish publishes an intent, and withdraws it, among 100 and 2,000 active
// intents of 4,000 accounts. In a second run half of the intents share a word with the
// new one. "growth" is the time divided by the time among 100. "writer-ms" is the time
// of the single writer, the sync to disk included, and "sync-ms" the time of a write of
// one row.
func BenchmarkPublish(b *testing.B) {
	for _, shared := range []string{"", "bicycle"} {
		name := "varied"
		if shared != "" {
			name = "half=" + shared
		}
		b.Run(name, func(b *testing.B) {
			p := newPublishBench(b, shared)
			var least time.Duration
			for _, n := range []int{100, 2000} {
				b.Run(fmt.Sprintf("active=%d", n), func(b *testing.B) {
					p.grow(b, n)
					p.publish(b)
					took := p.measure(b)
					if n == 100 {
						least = took
					}
					b.ReportMetric(took.Seconds()/least.Seconds(), "growth")
				})
			}
		})
	}
}

// measure publishes b.N intents, reports how long that took, and returns the mean.
func (p *publishBench) measure(b *testing.B) (mean time.Duration) {
	var publish []time.Duration
	var sum, writer, withdraw, sync time.Duration
	b.ResetTimer()
	for range b.N {
		took, inWriter, withdrawn := p.publish(b)
		publish = append(publish, took)
		sum, writer, withdraw = sum+took, writer+inWriter, withdraw+withdrawn
		before := p.writer(b)
		p.write(b, func(tx *store.Tx) error { return tx.SetSetting("benchmark", took.String()) })
		sync += p.writer(b) - before
	}
	sort.Slice(publish, func(i, j int) bool { return publish[i] < publish[j] })
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(each(sum), "publish-ms")
	b.ReportMetric(float64(publish[len(publish)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(each(writer), "writer-ms")
	b.ReportMetric(each(sync), "sync-ms")
	b.ReportMetric(each(withdraw), "withdraw-ms")
	return sum / time.Duration(b.N)
}
