//go:build linux

package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// The server is killed while agents answer. A request is then either as it was, or
// completed with its one reply, if that was acknowledged in any case; and the same
// answer again has it completed once. Each answer under way is a point in which the
// server is killed.
func TestServerKilledDuringAnswers(t *testing.T) {
	t.Parallel() // most of it is waiting
	rounds := storetest.Rounds(2, 25)
	const each = 10
	program, path := storetest.Program(t), filepath.Join(t.TempDir(), "hearth.db")
	people := clients(t, path, 2)
	asker, agent := people[0], people[1]
	kept, completed := 0, 0
	for round := range rounds {
		requests := askDirectly(t, path, asker, agent, each)
		p := serve(t, exec.Command(program, append(serveArgs(path), "--context-lane")...))
		answer := func(id string) int {
			return p.ask(agent, "POST", inboxPath+"/"+id+"/respond", map[string]string{"text": "answer to " + id}).status
		}
		acked := make([]int, each)
		var all sync.WaitGroup
		for i, id := range requests {
			all.Go(func() { acked[i] = answer(id) })
		}
		time.Sleep(time.Duration(rand.ExpFloat64() * float64(8*time.Millisecond)))
		p.kill()
		all.Wait()
		before := replies(t, path, agent, requests)
		for i, id := range requests {
			if n := before[id]; n > 1 || n == 0 && acked[i] != 0 {
				t.Errorf("round %d: %d replies, and the answer was %d", round, n, acked[i])
			}
			if before[id] == 0 {
				kept++
			} else {
				completed++
			}
		}
		p = serve(t, exec.Command(program, append(serveArgs(path), "--context-lane")...))
		for _, id := range requests {
			for range 2 {
				if status := answer(id); status != 200 {
					t.Errorf("round %d: the same answer again: %d", round, status)
				}
			}
		}
		p.kill()
		for id, n := range replies(t, path, agent, requests) {
			if n != 1 {
				t.Errorf("round %d: in the end %s has %d replies", round, id, n)
			}
		}
	}
	t.Logf("%d answers under way when the server was killed: %d requests were completed, %d were not", rounds*each, completed, kept)
}

// openLane opens the database of a server that does not run.
func openLane(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// askDirectly has the key of agent receive requests to reply to posts of asker.
func askDirectly(t *testing.T, path string, asker, agent *client, n int) (ids []string) {
	t.Helper()
	db := openLane(t, path)
	defer db.Close()
	err := db.Write(context.Background(), func(tx *store.Tx) error {
		ids = nil
		keys, err := tx.ReceivingKeys(store.Viewer{Kind: store.Human, UserID: agent.userID})
		if err != nil || len(keys) != 1 {
			return fmt.Errorf("%d keys, %v", len(keys), err)
		}
		if err := tx.SetReceiving(keys[0].KeyID, true); err != nil {
			return err
		}
		if _, err := tx.Member(store.Viewer{UserID: agent.userID}, asker.conversation, agent.userID); errors.Is(err, store.ErrNoRow) {
			err = tx.AddMember(asker.conversation, agent.userID, "member")
			if err != nil {
				return err
			}
		}
		for range n {
			tx.Now = tx.Tick()
			post := store.ContextPost{ConversationID: asker.conversation, AuthorID: asker.userID, Kind: "ask", Text: "Who?",
				ClientRequestID: store.NewID()}
			if err := tx.InsertContextPost(&post, nil); err != nil {
				return err
			}
			q := store.ContextRequest{PostID: post.ID, ConversationID: post.ConversationID, SourceRevision: 1, RequesterID: asker.userID,
				OwnerID: agent.userID,
				KeyID:   keys[0].KeyID, ExpiresAt: tx.Now.Add(24 * time.Hour)}
			if err := tx.InsertContextRequest(&q); err != nil {
				return err
			}
			ids = append(ids, q.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// replies returns how many posts there are that answer each of the requests, after
// a check of the database.
func replies(t *testing.T, path string, by *client, requests []string) map[string]int {
	t.Helper()
	db := openLane(t, path)
	defer db.Close()
	if broken, err := db.Check(context.Background()); err != nil || len(broken) > 0 {
		t.Fatalf("%v %v", broken, err)
	}
	out := map[string]int{}
	viewer := store.Viewer{Kind: store.Human, UserID: by.userID}
	err := db.Read(context.Background(), func(r *store.Reader) error {
		posts, err := r.OwnContextPosts(viewer, 0, 100_000, 1<<30)
		for _, p := range posts {
			out[strings.TrimPrefix(p.Text, "answer to ")]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, id := range requests {
		found[id] = out[id]
	}
	return found
}
