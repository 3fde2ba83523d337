package app_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// stream is an open event stream over a real connection.
type stream struct {
	t    *testing.T
	who  string
	scan *bufio.Scanner
	last string // the newest id:
	// close ends it from the side of the client.
	close func()
}

// openStream opens an event stream as one of the cast; it fails the test if it
// is not answered with 200. Waiting for events ends after 20 seconds.
func (w *world) openStream(t *testing.T, base, who, path string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if who != "anonymous" {
		req.Header.Set("Authorization", "Bearer "+w.token(who))
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %d %s", who, res.StatusCode, res.Header.Get("Content-Type"))
	}
	return &stream{t: t, who: who, close: cancel, scan: bufio.NewScanner(res.Body)}
}

// next returns the next event other than presence as "name data", "" at the end.
func (s *stream) next() string {
	for {
		if ev := s.any(); !strings.HasPrefix(ev, "presence ") {
			return ev
		}
	}
}

// any returns the next event as "name data", "" at the end of the stream.
func (s *stream) any() string {
	s.t.Helper()
	name, data := "", ""
	for s.scan.Scan() {
		field, value, _ := strings.Cut(s.scan.Text(), ": ")
		switch {
		case field == "id":
			s.last = value
		case field == "event":
			name = value
		case field == "data":
			data += value
		case field == "" && name != "":
			return name + " " + data
		}
	}
	if err := s.scan.Err(); err != nil {
		s.t.Fatalf("%s: waiting on the stream: %v", s.who, err)
	}
	return ""
}

func (s *stream) want(ev string) {
	s.t.Helper()
	if got := s.next(); got != ev {
		s.t.Errorf("%s got %q, want %q", s.who, got, ev)
	}
}

// Nobody is told what changed in a list while they could not see it, whatever the
// position from which they resume: its items, and that it was hidden.
func TestListHistoryBeforeItWasShown(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	list := "/api/lists/" + idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"L"}`).body)
	add := func() string { return idIn(t, w.json("ada", "POST", list+"/items", `{"content":"new"}`).body) }
	show := func(visibility string) { w.want("ada", "PATCH", list, `{"visibility":"`+visibility+`"}`, 200, "") }
	private := add()
	w.want("ada", "PUT", list+"/members/$id:ben", `{"role":"viewer"}`, 200, "")
	shared := add()
	show("unlisted")
	unlisted := add()
	show("public")
	public := add()
	show("public-edit")
	open := add()
	for who, want := range map[string][]string{
		"ada": {private, shared, unlisted, public, open}, "ben": {shared, unlisted, public, open},
		"cleo": {unlisted, public, open}, "anonymous": {public, open}, "public": {public, open},
	} {
		w.wantItems(t, srv.URL, who, list, want, open)
	}
	show("private")
	hidden := add()
	show("public")
	again := add()
	for who, want := range map[string][]string{
		"ada": {private, shared, unlisted, public, open, hidden, again}, "ben": {shared, unlisted, public, open, hidden, again},
		"cleo": {again}, "anonymous": {again},
	} {
		w.wantItems(t, srv.URL, who, list, want, again)
	}
}

// wantItems reads the items of the changes that a person is sent from the beginning
// of the log on, up to an item.
func (w *world) wantItems(t *testing.T, base, who, list string, want []string, last string) {
	t.Helper()
	s := w.openStream(t, base, who, list+"/events?lastEventId=0")
	defer s.close()
	var got []string
	for len(got) == 0 || got[len(got)-1] != last {
		ev := s.next()
		if _, rest, ok := strings.Cut(ev, `"itemId":"`); ok {
			got = append(got, rest[:36])
		} else if ev == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s is sent %d items, want the last %d:\n%v\n%v", who, len(got), len(want), got, want)
	}
}

// A list's stream begins with who is watching and has every change. It ends for
// strangers when the list becomes private, and for all when it is deleted.
func TestListStream(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	res := w.json("ada", "POST", "/api/lists", `{"title":"Watched","visibility":"public"}`)
	var made struct {
		List struct{ ID string } `json:"list"`
	}
	if err := json.Unmarshal(res.body, &made, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	id := made.List.ID
	w.json("ada", "PUT", "/api/lists/"+id+"/members/"+w.cast.Ben.ID, `{"role":"viewer"}`)
	ada := w.openStream(t, srv.URL, "ada", "/api/list/"+id+"/events")
	if got := ada.any(); got != fmt.Sprintf(`presence {"viewers":1,"people":[{"id":"%s","name":"Ada"}],"typing":[]}`, w.cast.Ada.ID) {
		t.Errorf("the first event is %s", got)
	}
	start := ada.last
	all := []*stream{ada}
	for _, who := range []string{"ben", "stranger", "anonymous", "public"} {
		all = append(all, w.openStream(t, srv.URL, who, "/api/lists/"+id+"/events"))
	}
	item := w.json("ada", "POST", "/api/lists/"+id+"/items", `{"content":"new"}`)
	var added struct {
		Item struct{ ID string } `json:"item"`
	}
	if err := json.Unmarshal(item.body, &added, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		s.want(fmt.Sprintf(`change {"table":"items","op":"insert","listId":"%s","itemId":"%s"}`, id, added.Item.ID))
	}
	if res := w.json("ada", "PATCH", "/api/lists/"+id, `{"visibility":"private"}`); res.status != 200 {
		t.Fatalf("hiding: %s", res.body)
	}
	changed := time.Now()
	hidden := fmt.Sprintf(`change {"table":"lists","op":"update","listId":"%s","itemId":null}`, id)
	for i, want := range []string{hidden, hidden, "", "", ""} {
		all[i].want(want)
	}
	if d := time.Since(changed); d > time.Second {
		t.Errorf("the streams of strangers ended %v after the list was hidden", d)
	}
	// Once the list is no longer shared with a person, they receive nothing, and
	// their stream ends.
	w.json("ada", "DELETE", "/api/lists/"+id+"/members/"+w.cast.Ben.ID, "")
	all[1].want("")
	w.json("ada", "PATCH", "/api/lists/"+id, `{"title":"Hidden"}`)
	all[0].want(hidden)
	// Missed changes follow the last one received, each of them.
	again := w.openStream(t, srv.URL, "ada", "/api/list/"+id+"/events", "Last-Event-ID", start)
	again.want(fmt.Sprintf(`change {"table":"items","op":"insert","listId":"%s","itemId":"%s"}`, id, added.Item.ID))
	again.want(hidden)
	again.want(hidden)
	if again.last == "" || again.last != ada.last {
		t.Errorf("resumed up to %q, the other is at %q", again.last, ada.last)
	}
	if res := w.json("ada", "DELETE", "/api/lists/"+id, ""); res.status != 204 {
		t.Fatalf("deleting: %s", res.body)
	}
	for _, s := range []*stream{ada, again} {
		s.want(fmt.Sprintf(`change {"table":"lists","op":"delete","listId":"%s","itemId":null}`, id))
		s.want("")
	}
}

// One address has 30 streams. The next one is told when to try again, as the
// document says of every stream.
func TestStreamsOfAnAddress(t *testing.T) {
	s := newBrowserServer(t)
	address := s.base() + "/api/lists/" + s.post("ada", "/api/lists", `{"title":"Watched","visibility":"public"}`) + "/events"
	open := func() *http.Response {
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	for n := range 30 {
		if res := open(); res.StatusCode != 200 {
			t.Fatalf("stream %d: %s", n+1, res.Status)
		}
	}
	if res := open(); res.StatusCode != 429 || res.Header.Get("Retry-After") == "" {
		t.Errorf("stream 31: %s %v", res.Status, res.Header)
	}
	var spec struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal(s.json("anonymous", "GET", "/api/openapi.json", "").body, &spec,
		json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	streams := 0
	for path, methods := range spec.Paths {
		responses := methods["get"].Responses
		if _, is := responses["200"].Content["text/event-stream"]; !is {
			continue
		}
		streams++
		if _, ok := responses["429"]; !ok {
			t.Errorf("%s: 429 is not in the document", path)
		}
	}
	if streams < 3 {
		t.Errorf("the document has %d streams", streams)
	}
}

// The new owner of a list is not told what changed before it was shared with them: a
// stream that resumes before the list was handed over reads the list again.
func TestNewOwnerReplaysNothingFromBefore(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	l := idIn(t, w.must("ada", "POST", "/api/lists", `{"title":"L","visibility":"private","items":[{"content":"x"}]}`))
	path := "/api/lists/" + l + "/events"
	w.must("ada", "PATCH", "/api/lists/"+l, `{"title":"Before"}`)
	w.must("ada", "PUT", "/api/lists/"+l+"/members/$id:ben", `{"role":"viewer"}`)
	w.must("ada", "PATCH", "/api/lists/"+l, `{"title":"Shared"}`)
	change := fmt.Sprintf(`change {"table":"lists","op":"update","listId":"%s","itemId":null}`, l)
	if got := w.openStream(t, srv.URL, "ben", path+"?lastEventId=0").next(); got != change {
		t.Fatalf("a member is told %s", got)
	}
	w.must("ada", "PUT", "/api/lists/"+l+"/owner", `{"user_id":"$id:ben"}`)
	owner := w.openStream(t, srv.URL, "ben", path+"?lastEventId=0")
	if got := owner.next(); !strings.HasPrefix(got, "resync ") {
		t.Errorf("the new owner is told %s", got)
	}
	w.must("ben", "PATCH", "/api/lists/"+l, `{"title":"Mine"}`)
	owner.want(change)
	again := w.openStream(t, srv.URL, "ben", path, "Last-Event-ID", owner.last)
	w.must("ben", "PATCH", "/api/lists/"+l, `{"title":"Mine again"}`)
	owner.want(change)
	again.want(change)
	if again.last != owner.last {
		t.Errorf("resumed up to %q, the other is at %q", again.last, owner.last)
	}
}

// When one member of a private list blocks another member, neither sees the other:
// they are not counted, and no event says that they came or left.
func TestPresenceAcrossABlock(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.must("ben", "POST", "/api/chat/users/$id:cleo/block", "")
	for who, other := range map[string]string{"ben": "cleo", "cleo": "ben"} {
		l := idIn(t, w.must("ada", "POST", "/api/lists", `{"title":"L","visibility":"private"}`))
		w.must("ada", "PUT", "/api/lists/"+l+"/members/$id:ben", `{"role":"viewer"}`)
		w.must("ada", "PUT", "/api/lists/"+l+"/members/$id:cleo", `{"role":"viewer"}`)
		path := "/api/lists/" + l + "/events"
		alone := fmt.Sprintf(`{"viewers":1,"people":[{"id":"%s"`, w.ids["$id:"+who])
		s := w.openStream(t, srv.URL, who, path)
		s.check(s.any(), "presence", alone)
		s2 := w.openStream(t, srv.URL, other, path)
		s2.any()
		if got := string(w.must(who, "GET", "/api/list/"+l+"/presence", "")); !strings.Contains(got, alone) {
			t.Errorf("%s is shown %s", who, got)
		}
		s2.close()
		w.openStream(t, srv.URL, "ada", path)
		s.check(s.any(), "presence", `"viewers":2`, "Ada", "!"+w.ids["$id:"+other]) // and none before it
	}
}
