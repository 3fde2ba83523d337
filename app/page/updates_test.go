package page_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func (w *world) unread(u store.User) int {
	w.t.Helper()
	out, err := w.chat.UnreadTotal.Call(w.t.Context(), storetest.Human(u), core.None{})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.UnreadTotal
}

// send sends a message to the conversation at an address and returns its id.
func (w *world) send(u store.User, at, content string) string {
	w.t.Helper()
	m, err := w.chat.SendMessage.Call(w.t.Context(), storetest.Human(u),
		chat.SendMessageIn{ConversationID: at[len("/chat/"):], Content: content})
	if err != nil {
		w.t.Fatal(err)
	}
	return m.ID
}

// TestUpdates: the script of an open page gets the messages and rows that it
// names, as its person may see them, and no page around them.
func TestUpdates(t *testing.T) {
	w := newWorld(t)
	ada, ben, stranger := w.as(w.cast.Ada), w.as(w.cast.Ben), w.as(w.cast.Stranger)
	at, group := ada.converse("", w.cast.Ben), ada.converse("Sunday", w.cast.Ben, w.cast.Cleo)
	first, second := w.send(w.cast.Ada, at, "Soup & bread"), w.send(w.cast.Ada, at, "at six")
	other := w.send(w.cast.Ada, group, "in the group")
	ask := func(b *browser, messages ...string) answer {
		q := url.Values{"conversation": {at[len("/chat/"):]}, "message": messages, "row": {at[len("/chat/"):]}}
		return b.get("/chat/updates?" + q.Encode())
	}
	got := ask(ben, first, second).want(t, 200, `id="m-`+first, "Soup &amp; bread", "at six", `aria-current="page"`,
		`data-unread="2"`, `id="unread" data-count="3"`)
	got.lacks(t, "<html", "<main", "Sunday", "<form")
	if len(got.body) > 6<<10 {
		t.Errorf("two messages take %d bytes", len(got.body))
	}
	ben.get("/chat/updates?head=1&row="+group[len("/chat/"):]+"&conversation="+group[len("/chat/"):]).want(t, 200, "<header", "Sunday")
	ask(ben, other, store.NewID(), "nonsense").want(t, 200, `data-unread="2"`).lacks(t, "in the group", `id="m-`)
	ask(stranger, first, second).want(t, 200, `data-count="0"`).lacks(t, "Soup", "data-unread", "Ada", "Ben")
	w.guest().get("/chat/updates").leads(t, "/login.*")
	ben.get("/chat/updates?"+strings.Repeat("message="+first+"&", 51)).want(t, 422)

	ada.post(at+"/message/"+first+"/delete", nil)
	ask(ben, first).want(t, 200, "Message deleted", `data-unread="1"`).lacks(t, "Soup")
}

// TestMessagesLookAlike: a message of a fragment is the one of the page, but
// for what depends on the messages around it.
func TestMessagesLookAlike(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.converse("Sunday", w.cast.Ben, w.cast.Cleo)
	id := w.send(w.cast.Ada, at, "See https://soups.example.")
	ada.post(at, url.Values{"content": {"Yes"}, "replyToId": {id}})
	reply := found(t, `(?s).*id="m-([0-9a-f-]{36})"`, ada.get(at).body)
	for _, b := range []*browser{ada, ben} {
		for _, id := range []string{id, reply} {
			li := regexp.MustCompile(fmt.Sprintf(`(?s)<li [^>]*id="m-%s".*?</li>`, id))
			page := li.FindString(b.get(at).body)
			part := li.FindString(b.get("/chat/updates?conversation=" + at[len("/chat/"):] + "&message=" + id).body)
			run := strings.NewReplacer(" run\"", "\"")
			if page == "" || run.Replace(page) != run.Replace(part) {
				t.Errorf("the page has\n%s\nthe fragment has\n%s", page, part)
			}
		}
	}
}

// TestItems: the script of an open list gets its items, and no page around them.
func TestItems(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.newList("public")
	ada.get(at+"/items").want(t, 200, "Lentil", `<span id="count">2 items</span>`, "Move up").lacks(t, "<html", "Add an item")
	w.guest().get(at+"/items").want(t, 200, "Lentil").lacks(t, "Move up")
	w.guest().get(ada.newList("private")+"/items").want(t, 404)
}

// TestRuns: consecutive messages of one sender are one run, with one head and one
// clock. An agent's messages and its owner's messages are separate runs.
func TestRuns(t *testing.T) {
	w := newWorld(t)
	at := w.as(w.cast.Ada).converse("", w.cast.Ben)
	ada := storetest.Human(w.cast.Ada)
	key, err := w.account.CreateAgentKey.Call(t.Context(), ada, account.CreateAgentKeyIn{Name: "Helper"})
	if err != nil {
		t.Fatal(err)
	}
	agent := ada
	agent.Kind, agent.KeyID, agent.AgentName = store.Agent, key.ID, "Helper"
	var want strings.Builder
	for i, by := range []store.Viewer{ada, ada, agent, agent, agent, ada, storetest.Human(w.cast.Ben), storetest.Human(w.cast.Ben)} {
		m, err := w.chat.SendMessage.Call(t.Context(), by, chat.SendMessageIn{ConversationID: at[len("/chat/"):],
			Content: fmt.Sprint("line ", i)})
		if err != nil {
			t.Fatal(err)
		}
		if run := i == 1 || i == 3 || i == 4 || i == 7; run {
			want.WriteString(m.ID + " ")
		}
	}
	var got strings.Builder
	run := regexp.MustCompile(`<li class="msg[^"]* run"[^>]* id="m-([0-9a-f-]{36})"`)
	for _, m := range run.FindAllStringSubmatch(w.as(w.cast.Ada).get(at).body, -1) {
		got.WriteString(m[1] + " ")
	}
	if got.String() != want.String() {
		t.Errorf("continued runs are %s, want %s", got.String(), want.String())
	}
}
