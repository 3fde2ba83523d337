package app_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// When an account is deleted, whoever has a Context lane with its posts open is told, and
// the members of the conversations that its thoughts are pinned to. A client that was away
// is told later on.
func TestDeletionIsToldInLanes(t *testing.T) {
	w := laneWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	lane := w.openStream(t, srv.URL, "ben", w.fillIDs(lanePath)+"/events")
	feed := w.openStream(t, srv.URL, "ben", "/api/chat/events")
	for i := range 3 {
		lane.expect("context.updated", idIn(t, w.must("ada", "POST", lanePath, fmt.Sprintf(`{"text":"words %d","clientRequestId":"%d"}`, i, i))))
	}
	thought := idIn(t, w.must("ada", "POST", "/api/thoughts", `{"text":"mine"}`))
	w.must("ada", "POST", "/api/thoughts/"+thought+"/pin", `{"conversationId":"$id:group"}`)
	feed.expect("stream.updated", thought)
	laneAt, feedAt := lane.last, feed.last
	w.must("ada", "DELETE", "/api/auth/me", "")
	told := func(lane, feed *stream) {
		t.Helper()
		want := fmt.Sprintf(`{"conversationId":%q,`, w.ids["$id:group"])
		if ev := lane.next(); ev != "context.updated "+want+`"postId":null}` {
			t.Errorf("the lane received %s", ev)
		}
		for {
			ev := feed.next()
			if ev == "stream.updated "+want+`"entryId":null}` {
				return
			}
			if ev == "" {
				t.Error("the Stream is not told")
				return
			}
		}
	}
	told(lane, feed)
	told(w.openStream(t, srv.URL, "ben", w.fillIDs(lanePath)+"/events", "Last-Event-ID", laneAt),
		w.openStream(t, srv.URL, "ben", "/api/chat/events", "Last-Event-ID", feedAt))
}

// When an account is deleted, the members of its groups are told that it is no longer a
// member, and who is their owner now.
func TestDeletionIsToldInGroups(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	g := w.group("ben", "cleo")
	feed := w.openStream(t, srv.URL, "cleo", "/api/chat/events")
	w.must("ada", "DELETE", "/api/auth/me", "")
	var told []string
	for ev := feed.next(); ev != ""; ev = feed.next() {
		if told = append(told, ev); strings.HasPrefix(ev, "conversation.updated") {
			break
		}
	}
	if len(told) != 3 ||
		!strings.Contains(told[0], w.cast.Ben.ID) || !strings.Contains(told[0], `"role":"owner"`) ||
		!strings.HasPrefix(told[1], fmt.Sprintf(`participant.updated {"conversationId":%q,"userId":%q,"removed":true`,
			strings.TrimPrefix(g, "/api/chat/conversations/"), w.cast.Ada.ID)) ||
		!strings.Contains(told[2], `"participantCount":2`) {
		t.Errorf("cleo is told %q", told)
	}
}

// When an account is deleted, its friends are told that they are not any more, and people
// whose requests it has not answered that these have ended.
func TestDeletionIsToldToFriends(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.must("ada", "POST", "/api/friends/users/$id:ben/request", "")
	w.must("ben", "POST", "/api/friends/users/$id:ada/accept", "")
	w.must("cleo", "POST", "/api/friends/users/$id:ada/request", "")
	feeds := map[string]*stream{}
	for _, who := range []string{"ben", "cleo"} {
		feeds[who] = w.openStream(t, srv.URL, who, "/api/chat/events")
	}
	w.must("ada", "DELETE", "/api/auth/me", "")
	for who, feed := range feeds {
		if ev := feed.next(); !strings.HasPrefix(ev, fmt.Sprintf(`friend.updated {"userId":%q,"state":"none"`, w.cast.Ada.ID)) {
			t.Errorf("%s is told %q", who, ev)
		}
	}
}

// The accounts that a deleted one was matched with are told that less waits for them,
// and what the card of their match says now.
func TestDeletionEndsMatches(t *testing.T) {
	w := newWorld(t)
	w.token("ben")
	w.token("cleo")
	eraseStage(t, w)
	position := func() (last int64) {
		w.rows(func(table string, row []any) {
			if table == "event" {
				last = max(last, row[0].(int64))
			}
		})
		return last
	}
	before := position()
	w.want("cleo", "GET", "/api/review", "", 200, "match:")
	w.want("ada", "DELETE", "/api/auth/me", "", 204, "")
	w.want("cleo", "GET", "/api/review", "", 200, `"items":[]`)
	var told []string
	w.rows(func(table string, row []any) {
		if table == "event" && row[0].(int64) > before {
			told = append(told, fmt.Sprint(row[2], " ", row[1]))
		}
	})
	for _, want := range []string{"review.updated " + w.cast.Cleo.ID, "message.updated " + w.ids["$id:pair"]} {
		if !slices.Contains(told, want) {
			t.Errorf("%s is not among %q", want, told)
		}
	}
	if slices.Contains(told, "review.updated "+w.cast.Ben.ID) {
		t.Error("ben got an event, but nothing waited for him")
	}
}
