package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/app"
	"hearth/app/embed/embedtest"
)

// A match by vectors looks the same to a person whoever is on the other side, in
// all that they can fetch and receive. Nothing in it tells that vectors made it.
func TestVectorsLeaveNoTrace(t *testing.T) {
	const ask, offer = "qarvel wozzlin", "zubrin tafgold"
	service := embedtest.New(t, map[string]int{ask: 1, offer: 1})
	base := newWorld(t)
	for _, who := range []string{"ada", "ada/rw", "ben", "cleo"} {
		base.token(who)
	}
	base.ids["$id:notes"] = idIn(t, base.request("ada", `POST /api/chat/conversations {"participantIds":["$id:ada"]}`).body)
	db := base.snapshot()
	var first string
	for _, side := range []struct{ who, name, more string }{{"ben", "Ben", ""}, {"cleo", "渡辺", `,"details":"my garage"`}} {
		w := base.copy(t, db, func(c *app.Config) {
			c.EmbedURL, c.EmbedModel, c.EmbedKey = service.URL, "m", "the-key-of-the-service"
		})
		for who, r := range map[string]string{
			side.who: fmt.Sprintf(`POST /api/intents {"kind":"offer","terms":%q,"confirm":true%s}`, offer, side.more),
			"ada":    fmt.Sprintf(`POST /api/intents {"kind":"ask","terms":%q,"confirm":true}`, ask),
		} {
			if res := w.request(who, r); res.status != 201 {
				t.Fatalf("%s: %d %s", r, res.status, res.body)
			}
		}
		if res := w.request(side.who, fmt.Sprintf(`PATCH /api/auth/me {"name":%q}`, side.name)); res.status != 200 {
			t.Fatalf("%d %s", res.status, res.body)
		}
		for deadline := time.Now().Add(30 * time.Second); !strings.Contains(string(w.request("ada", "GET /api/matches").body), offer); {
			if time.Now().After(deadline) {
				t.Fatalf("ada is not matched; the log is %s", w.log)
			}
			time.Sleep(5 * time.Millisecond)
		}
		got := w.received(t, "GET /api/auth/export?range=all_time")
		for _, word := range []string{"vector", "embedding", "embed_", "the-key-of-the-service", service.URL} {
			if strings.Contains(got, word) {
				t.Errorf("ada receives %q", word)
			}
		}
		if first == "" {
			first = got
		} else if d := cmp.Diff(first, got); d != "" {
			t.Errorf("with %s (-) and %s (+) on the other side: %s", "ben", side.who, d)
		}
	}
}

// Who publishes an ask is told where its words are sent, if they are.
func TestPreviewsSayWhereWordsAreSent(t *testing.T) {
	base := newWorld(t)
	db := base.snapshot()
	for embedURL, want := range map[string]bool{"": false, "http://models.example:8080": true} {
		w := base.copy(t, db, func(c *app.Config) {
			if c.EmbedURL = embedURL; embedURL != "" {
				c.EmbedModel = "m"
			}
		})
		res := w.do("anonymous", "POST", "/asks/preview", http.Header{"Content-Type": {"application/x-www-form-urlencoded"},
			"Cookie": {w.cookie("ada")}}, "kind=ask&terms=a+ladder&until=7d&who=everybody")
		if res.status != 200 || strings.Contains(string(res.body), "to <bdi>models.example</bdi>.") != want {
			t.Errorf("%q: %d %s", embedURL, res.status, res.body)
		}
	}
}
