package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// contentOf returns the ids of the items of the content, each with its aliases.
func (w *world) contentOf(who, query string) (out []string) {
	w.t.Helper()
	var page struct {
		Items []struct {
			ID            string
			SourceAliases []string `json:"sourceAliases"`
		}
	}
	if err := json.Unmarshal(w.must(who, "GET", contentPath+query, ""), &page, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
	for _, item := range page.Items {
		out = append(out, strings.Join(append([]string{item.ID}, item.SourceAliases...), " "))
	}
	return out
}

// Shared captures of one message with the same text are one item, before pages are
// made: that of the #tag, or else the oldest. With another text, unpinned, or of a
// message of elsewhere they are items of their own, or none.
func TestSourceAliases(t *testing.T) {
	w := laneWorld(t)
	w.ids["$id:other"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"],"type":"group"}`))
	w.ids["$id:plain"] = idIn(t, w.must("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"The gate is open"}`))
	w.ids["$id:tagged"] = idIn(t, w.must("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"#gate closed"}`))
	w.ids["$id:far"] = idIn(t, w.must("ben", "POST", "/api/chat/conversations/$id:other/messages", `{"content":"far away"}`))
	capture := func(who, name, body string) {
		t.Helper()
		w.ids["$id:"+name] = idIn(t, w.must(who, "POST", "/api/thoughts", body))
		w.must(who, "POST", "/api/thoughts/$id:"+name+"/pin", `{"conversationId":"$id:group"}`)
	}
	capture("ada", "a1", `{"sourceMessageId":"$id:plain"}`)
	capture("ben", "a2", `{"sourceMessageId":"$id:plain"}`)
	capture("cleo", "a3", `{"sourceMessageId":"$id:plain","text":"The gate, says Ben"}`)
	capture("cleo", "a4", `{"sourceMessageId":"$id:tagged"}`)
	capture("ada", "f1", `{"sourceMessageId":"$id:far"}`)
	capture("ben", "f2", `{"sourceMessageId":"$id:far"}`)
	tag := strings.Fields(w.contentOf("cleo", "?search=%23gate")[0])[0]
	check := func(who string, want ...string) {
		t.Helper()
		for i := range want {
			want[i] = w.fillIDs(strings.ReplaceAll(want[i], "tag", tag))
		}
		if got := w.contentOf(who, ""); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %q, want %q", who, got, want)
		}
	}
	check("cleo", "$id:f2", "$id:f1", "$id:a3", "$id:a1 $id:a2", "tag $id:a4")
	check("ada/read", "$id:f2", "$id:f1", "$id:a3", "$id:a1 $id:a2", "tag $id:a4")
	if page := w.contentOf("cleo", "?limit=4"); len(page) != 4 || len(strings.Fields(page[3])) != 2 {
		t.Errorf("a page of four has %q", page)
	}
	// Where they come from is disclosed to members of that conversation alone.
	if s := string(w.must("cleo", "GET", contentPath, "")); strings.Contains(s, w.ids["$id:far"]) || strings.Contains(s, w.ids["$id:other"]) {
		t.Errorf("Cleo receives a source of elsewhere: %s", s)
	}
	if s := string(w.must("ada", "GET", contentPath, "")); !strings.Contains(s, w.ids["$id:far"]) {
		t.Errorf("Ada does not receive the source: %s", s)
	}
	w.must("ada", "DELETE", "/api/thoughts/$id:a1/pin/$id:group", "")
	check("cleo", "$id:f2", "$id:f1", "$id:a3", "$id:a2", "tag $id:a4")
	w.must("ben", "DELETE", "/api/chat/messages/$id:tagged", "")
	check("cleo", "$id:f2", "$id:f1", "$id:a4", "$id:a3", "$id:a2")
}
