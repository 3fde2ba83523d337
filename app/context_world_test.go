package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-json-experiment/json"

	"hearth/store"
	"hearth/store/storetest"
)

// contentQueries are how the content of a conversation can be listed.
var contentQueries = []string{"", "?limit=1", "?limit=3", "?limit=100", "?filter=stream", "?filter=stream&limit=2", "?filter=context",
	"?search=bread", "?search=%23bread&limit=1", "?search=secret"}

// pagesOf returns all pages of a list with their cursors, as they are sent.
func (w *world) pagesOf(who, path string) string {
	w.t.Helper()
	var out strings.Builder
	for cursor, n := "", 0; n == 0 || cursor != ""; n++ {
		at := path
		if cursor != "" {
			at += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "cursor=" + cursor
		}
		res := w.request(who, "GET "+at)
		fmt.Fprintln(&out, res.status, res.raw)
		var page struct {
			NextCursor string `json:"nextCursor"`
		}
		if err := json.Unmarshal(res.body, &page); err != nil || n > 1000 {
			w.t.Fatalf("%s: %v", at, err)
		}
		cursor = page.NextCursor
	}
	return out.String()
}

// Keys of the owner, embedded sessions and the other members receive the same
// bytes, cursors included, whether or not the owner has private notes for the
// conversation.
func TestPrivateNotesAreNotInTheContent(t *testing.T) {
	w := laneWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.ids["$id:message"] = idIn(t, w.must("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"#bread for all"}`))
	for i := range 6 {
		w.post("ada", fmt.Sprint("bread ", i), "post")
		w.ids["$id:t"] = idIn(t, w.must("ada", "POST", "/api/thoughts",
			fmt.Sprintf(`{"text":"#bread shared %d","sourceMessageId":"$id:message"}`, i/2)))
		w.must("ada", "POST", "/api/thoughts/$id:t/pin", `{"conversationId":"$id:group"}`)
		w.must("cleo", "POST", "/api/chat/conversations/$id:group/messages", fmt.Sprintf(`{"content":"#bread number %d"}`, i))
	}
	others := []string{"ada/read", "ada/rw", "ada/embedded", "ben", "ben/rw", "cleo"}
	look := func() map[string]string {
		seen := map[string]string{}
		for _, who := range others {
			for _, query := range contentQueries {
				seen[who+" "+query] = w.pagesOf(who, contentPath+query)
			}
			seen[who+" lane"] = w.pagesOf(who, lanePath+"?limit=2")
		}
		return seen
	}
	for _, who := range others {
		w.token(who)
	}
	before, own := look(), w.pagesOf("ada", contentPath+"?limit=2")
	lane := w.openStream(t, srv.URL, "ada/read", w.fillIDs(lanePath)+"/events")
	for range 5 {
		w.must("ada", "POST", "/api/thoughts", `{"text":"#secret #bread `+w.plant("secret", "ada")+`","sourceConversationId":"$id:group"}`)
		w.must("ada", "POST", "/api/thoughts", `{"text":"#bread shared 0","sourceMessageId":"$id:message"}`)
	}
	w.canariesOfKeys()
	if d := cmp.Diff(before, look()); d != "" {
		t.Errorf("with private notes (+) they receive something else:\n%s", d)
	}
	if w.pagesOf("ada", contentPath+"?limit=2") == own {
		t.Error("their owner does not see them either")
	}
	w.post("ben", "the end", "end")
	lane.expect("context.updated", w.ids["$id:end"])
}

// canariesOfKeys has the scan of responses report canaries that keys of their
// owner receive.
func (w *world) canariesOfKeys() {
	for word := range w.canaries {
		w.keyless = append(w.keyless, word)
	}
}

// A walk through the pages of the content, each with a limit of its own, has
// everything that existed throughout exactly once, and nothing twice. Meanwhile
// others post, delete and write notes.
func TestWalksThroughTheContent(t *testing.T) {
	w := laneWorld(t)
	rng := rand.New(rand.NewPCG(3, 4))
	var gone []string
	for i := range 60 {
		id := w.post([]string{"ada", "ben", "cleo"}[i%3], fmt.Sprint("post ", i), "post")
		if i%4 == 0 {
			gone = append(gone, id)
		}
		if i%3 == 0 {
			w.must("ben", "POST", "/api/chat/conversations/$id:group/messages", fmt.Sprintf(`{"content":"#tag %d"}`, i))
			w.must("ada", "POST", "/api/thoughts", fmt.Sprintf(`{"text":"note %d","sourceConversationId":"$id:group"}`, i))
		}
		w.turnClock("61s")
	}
	before := map[string][]string{}
	for _, who := range []string{"ada", "ben"} {
		before[who] = w.contentIDs(who, func() int { return 100 }, func() {})
	}
	writers := storetest.Rounds(5, 20)
	stop := w.writers(writers)
	defer stop()
	for _, who := range []string{"ada", "ben"} {
		stays := map[string]bool{}
		for _, id := range before[who] {
			stays[id] = true
		}
		seen := w.contentIDs(who, func() int { return 1 + rng.IntN(9) }, func() {
			if len(gone) > 0 && rng.IntN(2) == 0 { // a deleted post keeps its place
				w.must("ada", "DELETE", lanePath+"/"+gone[0], "")
				gone = gone[1:]
			}
		})
		twice := map[string]bool{}
		for _, id := range seen {
			if twice[id] {
				t.Errorf("%s saw %s twice", who, id)
			}
			twice[id] = true
		}
		for id := range stays {
			if !twice[id] {
				t.Errorf("%s did not see %s", who, id)
			}
		}
	}
}

// writers starts n writers that post to the lane, edit and delete what they posted,
// and pin thoughts, until the function that it returns is called.
func (w *world) writers(n int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	people := []string{w.cast.Ada.ID, w.cast.Ben.ID, w.cast.Cleo.ID}
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		all.Go(func() {
			by := store.Viewer{Kind: store.Human, UserID: people[i%len(people)]}
			var last *store.ContextPost
			for ctx.Err() == nil {
				step, post := rng.IntN(4), store.ContextPost{ConversationID: w.ids["$id:group"], AuthorID: by.UserID, Kind: "note", Text: "written",
					ClientRequestID: store.NewID()}
				err := w.app.DB().Write(ctx, func(tx *store.Tx) error {
					if last != nil && step == 0 {
						p, err := tx.ContextPost(by, last.ConversationID, last.ID)
						if err != nil || p.DeletedAt != 0 {
							return err
						}
						return tx.DeleteContextPost(&p)
					}
					if step == 1 {
						t := store.Thought{UserID: by.UserID, Text: "pinned", Kind: "fact", Status: "none", SourceConversationID: post.ConversationID}
						return tx.InsertThought(&t)
					}
					made := post
					return tx.InsertContextPost(&made, nil)
				})
				if err != nil && ctx.Err() == nil {
					w.t.Error(err)
					return
				}
				if step > 1 {
					last = w.newest(ctx, by)
				}
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// newest returns the newest post of an account.
func (w *world) newest(ctx context.Context, by store.Viewer) (p *store.ContextPost) {
	_ = w.app.DB().Read(ctx, func(r *store.Reader) error {
		posts, err := r.OwnContextPosts(by, 0, 1, 1)
		if len(posts) > 0 {
			p = &posts[0]
		}
		return err
	})
	return p
}

// contentIDs walks through the content and returns the ids in their order.
func (w *world) contentIDs(who string, limit func() int, between func()) (ids []string) {
	w.t.Helper()
	for cursor, n := "", 0; n == 0 || cursor != ""; n++ {
		var page struct {
			Items      []struct{ ID string } `json:"items"`
			NextCursor string                `json:"nextCursor"`
		}
		if err := json.Unmarshal(w.must(who, "GET", fmt.Sprintf("%s?limit=%d&cursor=%s", contentPath, limit(), cursor), ""), &page,
			json.MatchCaseInsensitiveNames(true)); err != nil {
			w.t.Fatal(err)
		}
		for _, item := range page.Items {
			ids = append(ids, item.ID)
		}
		cursor = page.NextCursor
		between()
	}
	return ids
}
