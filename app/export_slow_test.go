package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/account"
	"hearth/app/api"
	"hearth/store"
)

// fillExport adds messages of 18 kB to a conversation of ada.
func (w *world) fillExport(messages int) {
	w.t.Helper()
	text := strings.Repeat("x", 18_000)
	for range messages / 50 {
		err := w.app.DB().Write(context.Background(), func(tx *store.Tx) error {
			id, _, err := tx.InsertDirect(w.cast.Ada.ID, w.cast.Ben.ID, "")
			for range 50 {
				tx.Now = tx.Tick()
				if err == nil {
					err = tx.Send(&store.Message{ConversationID: id, SenderID: w.cast.Ada.ID, Content: text, Type: "text"}, nil)
				}
			}
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// stall requests an export of ada and takes only its headers. The connection is
// closed at the end of the test.
func (w *world) stall(srv *httptest.Server) (net.Conn, *http.Response) {
	w.t.Helper()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "GET /api/auth/export?range=all_time HTTP/1.1\r\nHost: hearth.test\r\nAuthorization: Bearer %s\r\n\r\n", w.token("ada"))
	res, err := http.ReadResponse(bufio.NewReaderSize(c, 4096), nil)
	if err != nil || res.StatusCode != 200 {
		w.t.Fatalf("%v, %v", res, err)
	}
	return c, res
}

// While a client does not take its export, the server holds no reader, no state
// of the file and no more memory, and exports of others go on. A client that
// continues receives all of it; one that is gone can export again; and one whose
// session ends receives a part that is seen to be one.
func TestSlowExport(t *testing.T) {
	w := newWorld(t)
	w.token("ben")
	w.token("ada")
	const messages = 700
	w.fillExport(messages)
	srv := httptest.NewServer(w.h)
	defer srv.Close()
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c, res := w.stall(srv)
	for range 2 { // over the network, so that the responses take no memory here
		req, err := http.NewRequest("GET", srv.URL+"/api/auth/export?range=last_hour", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.token("ben"))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, res.Body); err != nil || n < messages*18_000 {
			t.Errorf("the export of another has %d bytes, %v", n, err)
		}
		res.Body.Close()
	}
	if done, err := w.app.DB().Truncate(context.Background()); err != nil || !done {
		t.Errorf("a slow export keeps the write-ahead log: %v, %v", done, err)
	}
	runtime.GC()
	if runtime.ReadMemStats(&during); during.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("a slow export takes %d bytes", during.HeapAlloc-before.HeapAlloc)
	}
	var all api.AccountExport
	if err := json.UnmarshalRead(res.Body, &all); err != nil || len(all.Messages) != messages {
		t.Errorf("the client that continued received %d messages, %v", len(all.Messages), err)
	}
	c.Close()
	c, _ = w.stall(srv)
	c.Close()
	w.wantExport(t)

	_, res = w.stall(srv)
	w.want("ada", "DELETE", "/api/auth/sessions", "", 204, "")
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("after the end of the session the client received %d bytes and no error", n)
	}
}

// wantExport waits until ada can export again, which is once the server has
// noticed that her client is gone.
func (w *world) wantExport(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		res := w.json("ada", "GET", "/api/auth/export?range=last_hour", "")
		if res.status == 200 {
			return
		}
		if res.status != 429 || time.Now().After(end) {
			t.Fatalf("an export after one that was broken off: %d %.200s", res.status, res.body)
		}
	}
}

// For an account with one of everything, every field of the account export has a
// value, in each of the five ranges. Messages and thoughts are from the range.
func TestExportIsComplete(t *testing.T) {
	w := newWorld(t)
	w.token("ben")
	w.token("ada")
	eraseStage(t, w)
	w.exportSocial()
	w.clock.Advance(2 * time.Hour)
	w.want("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"just now #fact"}`, 201, "")
	var in account.ExportIn
	field, _ := reflect.TypeOf(in).FieldByName("Range")
	ranges := strings.Split(field.Tag.Get("enum"), "|")
	if len(ranges) != 5 {
		t.Fatalf("the ranges are %q", ranges)
	}
	for i, key := range ranges {
		res := w.want("ada", "GET", "/api/auth/export?range="+key, "", 200, `"key":"`+key+`"`)
		var members map[string]jsontext.Value
		var all api.AccountExport
		if err := json.Unmarshal(res.body, &members); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(res.body, &all); err != nil {
			t.Fatal(err)
		}
		for name, value := range members {
			if slices.Contains([]string{"[]", "{}", "null", "0"}, string(value)) {
				t.Errorf("%s: %s is %.100s", key, name, value)
			}
		}
		if n := reflect.TypeOf(all).NumField(); len(members) != n || len(members) != 22 {
			t.Errorf("%s: %d members instead of %d", key, len(members), n)
		}
		if all.MessageCount != len(all.Messages) || (i > 0) != (len(all.Messages) > 1) || (i > 0) != (len(all.Thoughts) > 1) {
			t.Errorf("%s: %d messages, counted %d, and %d thoughts", key, len(all.Messages), all.MessageCount, len(all.Thoughts))
		}
		if (all.Range.Since == nil) != (key == "all_time") || all.Range.Label == "" || all.User.Email != "ada@example.org" {
			t.Errorf("%s: the range %+v of %+v", key, all.Range, all.User)
		}
		if len(all.BlockedUsers) != 1 || len(all.FriendConnections) != 1 || len(all.AgentKeys) != 2 || len(all.Secretary.Answers) != 1 ||
			len(all.Conversations) != 3 {
			t.Errorf("%s: %s", key, res.body)
		}
		w.wantExportSocial(&all)
	}
}

// exportSocial makes drafts of ada's in every state, a search of one of them, a Story and
// preferences that are not the default.
func (w *world) exportSocial() {
	w.t.Helper()
	for _, name := range []string{"pending", "dismissed", "activated"} {
		w.ids["$id:"+name] = w.made(`POST /api/intent-drafts {"goal":"`+name+`"}`, "draft")
	}
	w.want("ada", "PATCH", "/api/intent-drafts/$id:dismissed", `{"state":"dismissed"}`, 200, "")
	const search = `"quietSearch":{"enabled":true,"expiresAt":"2098-01-01T00:00:00Z"}}`
	grant := w.grantOf("ada", "/api/intent-drafts/$id:activated/activate", `{"confirm":false,`+search)
	w.want("ada", "POST", "/api/intent-drafts/$id:activated/activate", `{"confirm":true,"approvalGrant":"`+grant+`",`+search, 201, "")
	w.storyFor("ada", "ben")
	w.want("ada", "PATCH", "/api/social/preferences", `{"experienceMode":"simple"}`, 200, "")
}

// wantExportSocial checks that an export has what exportSocial made.
func (w *world) wantExportSocial(all *api.AccountExport) {
	w.t.Helper()
	var drafts []string
	for _, d := range all.IntentDrafts {
		drafts = append(drafts, d.Goal+" "+d.State)
	}
	if slices.Sort(drafts); !slices.Equal(drafts, []string{"activated activated", "dismissed dismissed", "pending pending"}) {
		w.t.Errorf("the drafts are %q", drafts)
	}
	if s := all.Stories; len(s) != 2 || !slices.Equal(s[0].Audience.UserIDs, []string{w.cast.Ben.ID}) || s[1].Goal != "activated" {
		w.t.Errorf("the Stories are %+v", s)
	}
	if all.SocialPreferences.ExperienceMode != "simple" {
		w.t.Errorf("the preferences are %+v", all.SocialPreferences)
	}
}
