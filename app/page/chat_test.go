package page_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func (b *browser) converse(title string, people ...store.User) string {
	b.w.t.Helper()
	form := url.Values{"title": {title}}
	for _, p := range people {
		form.Add("to", p.ID+" "+p.Name)
	}
	return b.post("/chat/new", form).leads(b.w.t, "/chat/[0-9a-f-]{36}")
}

func TestConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	ada.get("/chat").want(t, 200, "No conversations yet")
	ada.get("/chat/new?q=be&to="+url.QueryEscape(w.cast.Cleo.ID+" Cléo")).want(t, 200, w.cast.Ben.ID+" Ben", "Cléo", "checked")
	ada.get("/chat/new?to="+url.QueryEscape(w.cast.Cleo.ID+" Ben")+"&to="+store.NewID()+"+Nobody").want(t, 200, "Cléo").lacks(t, "Ben<",
		"Nobody")
	ada.get("/chat/new?q=nobody%20of%20the%20sort").want(t, 200, "No people found")
	ada.post("/chat/new", url.Values{"q": {"be"}}).want(t, 422, "Find someone first", `value="be"`)
	at := ada.converse("", w.cast.Ben)
	if again := ada.converse("", w.cast.Ben); again != at {
		t.Errorf("a second direct conversation %s beside %s", again, at)
	}
	id := store.NewID()
	for range 2 { // a reload sends the form again
		ada.post(at, url.Values{"id": {id}, "content": {"Soup?\r\nAt six: https://soups.example."}}).leads(t, at)
	}
	ada.post(at, url.Values{"id": {store.NewID()}, "content": {"  "}}).want(t, 422, `id="compose-error"`)
	ben.get("/").want(t, 200, `<span>1</span><span class="sr"> unread</span>`)
	ben.get("/chat").want(t, 200, "Soup?", "conversation-unread")
	ben.get(at+"?newest=1").want(t, 200, "Soup?\nAt six:")
	ben.get(at).want(t, 200, `id="unread-line"`, `href="https://soups.example"`).lacks(t, "?edit=")
	ben.get("/chat").want(t, 200, "conversation-unread") // loading a page reads nothing
	ben.read(at)
	ben.get("/chat").want(t, 200).lacks(t, "conversation-unread")
	ben.get(at+"?reply="+id).want(t, 200, "Replying to", `name="replyToId" value="`+id+`"`)
	ben.post(at, url.Values{"content": {"Yes"}, "replyToId": {id}}).leads(t, at)
	ada.get(at).want(t, 200, `class="quote" href="`+at+"?at="+id+"#m-"+id+`"`)

	ada.get(at+"?edit="+id).want(t, 200, `id="edit-content"`, "Delete message")
	ada.post(at+"/message/"+id, url.Values{"content": {""}}).want(t, 422, `id="edit-content-error"`)
	ada.post(at+"/message/"+id+"?before=2030-01-01T00:00:00Z", url.Values{"content": {"Bread?"}}).leads(t,
		regexp.QuoteMeta(at+"?before=2030-01-01T00:00:00Z#m-"+id))
	ben.get(at).want(t, 200, "Bread?", `<span class="edited">edited</span>`)
	ben.post(at+"/message/"+id, url.Values{"content": {"mine"}}).want(t, 403)
	ada.get(at+"?delete="+id).want(t, 200, "Delete this message for everyone?", at+"/message/"+id+"/delete")
	ben.get(at+"?delete="+id).want(t, 200).lacks(t, "Delete this message for everyone?")
	ada.post(at+"/message/"+id+"/delete", nil).leads(t, at+"#m-"+id)
	ben.get(at).want(t, 200, "Message deleted").lacks(t, "Bread?", "Soup?")

	for _, path := range []string{at, at + "/people", at + "?edit=" + id} {
		w.as(w.cast.Stranger).get(path).want(t, 404)
		w.guest().get(path).leads(t, "/login.*")
	}
	w.as(w.cast.Stranger).post(at, url.Values{"content": {"hi"}}).want(t, 404)
	w.as(w.cast.Stranger).post(at+"/message/"+id, url.Values{"content": {"hi"}}).want(t, 404)
}

// A form for a new conversation has each person once. It looks up no more people than a
// conversation can have, whether they are found or not.
func TestManyChosenForConversation(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	chosen := func(unknown, bens int) url.Values {
		form := url.Values{"q": {"nobody of the sort"}}
		for range unknown {
			form.Add("to", store.NewID())
		}
		for range bens {
			form.Add("to", w.cast.Ben.ID+" Ben")
		}
		return form
	}
	for _, tc := range []struct{ unknown, bens, want int }{{0, 200, 1}, {99, 2, 1}, {100, 1, 0}, {900, 1, 0}} {
		got := ada.get("/chat/new?"+chosen(min(tc.unknown, 300), tc.bens).Encode()).body + ada.post("/chat/new", chosen(tc.unknown, tc.bens)).body
		if n := strings.Count(got, `value="`+w.cast.Ben.ID); n != 2*tc.want {
			t.Errorf("after %d who are unknown, %d times Ben is chosen %d times on two pages", tc.unknown, tc.bens, n)
		}
	}
}

// seenURL is what a page has a browser without scripts load.
var seenURL = regexp.MustCompile(`<noscript><img class="sr" src="(/chat/[^"]*/seen\?upTo=[^"]*)" alt=""></noscript>`)

// read loads a conversation as a browser without scripts does.
func (b *browser) read(at string) {
	b.w.t.Helper()
	address := html.UnescapeString(found(b.w.t, seenURL.String(), b.get(at).want(b.w.t, 200).body))
	b.get(address).want(b.w.t, http.StatusNoContent)
}

// What a browser loads in advance is not read, nor what a link says was seen, and nobody can mark messages of a
// conversation that they are not in.
func TestPrefetchMarksNothingRead(t *testing.T) {
	w := newWorld(t)
	at := w.as(w.cast.Ada).converse("", w.cast.Ben)
	w.as(w.cast.Ada).post(at, url.Values{"content": {"hello"}})
	ben := w.as(w.cast.Ben)
	address := html.UnescapeString(found(t, seenURL.String(), ben.get(at).want(t, 200, "hello").body))
	req, err := http.NewRequest("GET", w.url+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Purpose", "prefetch")
	ben.do(req).want(t, 404)
	// a link leads there
	for name, value := range map[string]string{"Sec-Fetch-Dest": "document", "Accept": "text/html,image/avif,*/*;q=0.8"} {
		if req, err = http.NewRequest("GET", w.url+address, nil); err != nil {
			t.Fatal(err)
		}
		req.Header.Set(name, value)
		ben.do(req).want(t, 404)
	}
	if req, err = http.NewRequest("HEAD", w.url+address, nil); err != nil {
		t.Fatal(err)
	}
	ben.do(req).want(t, 404)
	w.as(w.cast.Stranger).get(address).want(t, 404)
	ben.get(at+"/seen?upTo=soon").want(t, 404)
	ben.get("/chat").want(t, 200, "conversation-unread")
	ben.get(address).want(t, http.StatusNoContent)
	ben.get("/chat").want(t, 200).lacks(t, "conversation-unread")
}

func TestNotes(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("", w.cast.Ada)
	ada.get(at).want(t, 200, "My notes", "Only you can see this").lacks(t, at+"/people")
}

func TestGroup(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.converse("Sunday", w.cast.Ben, w.cast.Cleo)
	ada.get(at+"/people?q=غريب").want(t, 200, "Make owner", "Group name", "Create link", `name="userId" value="`+w.cast.Stranger.ID)
	ben.get(at+"/people").want(t, 200, "Leave group").lacks(t, "Make owner", "Group name", "Create link")
	ben.post(at+"/title", url.Values{"title": {"Mine"}}).want(t, 403)
	ada.post(at+"/title", url.Values{"title": {strings.Repeat("x", 201)}}).want(t, 422, `id="title-error"`)
	ada.post(at+"/title", url.Values{"title": {"Monday"}}).leads(t, at+"/people.done=saved")
	// a line of the log is no message to reply to
	ben.get(at).want(t, 200, "Monday", "Ada, Cléo 🌿", "named the group", `id="replying" hidden`)
	ada.post(at+"/leave", url.Values{"sure": {"yes"}}).want(t, 422, "owner")
	ada.post(at+"/leave", nil).leads(t, at+"/people")
	ada.post(at+"/people/"+w.cast.Ben.ID+"/owner", nil).leads(t, at+"/people.done=saved")
	ada.post(at+"/people/"+w.cast.Cleo.ID+"/remove", nil).leads(t, at+"/people.done=removed")
	w.as(w.cast.Cleo).get(at).want(t, 404)
	ada.post(at+"/people", url.Values{"userId": {w.cast.Cleo.ID}}).leads(t, at+"/people.done=added")
	w.as(w.cast.Cleo).get(at).want(t, 200)
	ada.post(at+"/leave", url.Values{"sure": {"yes"}}).leads(t, "/chat.done=left")
	ada.get(at).want(t, 404)

	link := found(t, `(/chat/invite/[\w-]+)<`, ben.post(at+"/invite", nil).want(t, 200).body)
	ben.get(at+"/people").lacks(t, link)
	w.guest().get(link).leads(t, "/login.next=%2Fchat%2Finvite.*")
	stranger := w.as(w.cast.Stranger)
	stranger.get(link).want(t, 200, "Monday", "invites you", "2 members")
	stranger.get(at).want(t, 404)
	stranger.post("/chat/invite", url.Values{"token": {strings.TrimPrefix(link, "/chat/invite/")}}).leads(t, at)
	stranger.get(at).want(t, 200)
	stranger.get("/chat/invite/nonsense").want(t, 404)
}

func TestMute(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.converse("", w.cast.Ben)
	until := func() store.Time {
		t.Helper()
		c, err := w.chat.GetConversation.Call(t.Context(), storetest.Human(w.cast.Ada), core.ByID{ID: at[len("/chat/"):]})
		if err != nil {
			t.Fatal(err)
		}
		if c.MutedUntil == nil {
			return 0
		}
		return *c.MutedUntil
	}
	ada.post(at+"/mute", url.Values{"for": {"hour"}}).leads(t, at+"/people.done=muted")
	if got := until().Sub(store.TimeOf(w.db.Clock.Now())); got > time.Hour || got < time.Hour-time.Minute {
		t.Errorf("muted for %v, want an hour", got)
	}
	for _, zone := range []string{"", "-120", "480", "9999", "x"} {
		ada.post(at+"/mute", url.Values{"for": {"tomorrow"}, "zone": {zone}})
		n, err := strconv.Atoi(zone)
		if err != nil || n > 900 {
			n = 0
		}
		there := until().Go().In(time.FixedZone("", -n*60))
		if left := there.Sub(w.db.Clock.Now()); there.Hour() != 8 || there.Minute() != 0 || left < 8*time.Hour || left > 32*time.Hour {
			t.Errorf("zone %q: muted until %v, which is %v away", zone, there, left)
		}
	}
	ada.post(at+"/mute", url.Values{"for": {"forever"}})
	ada.get(at+"/people").want(t, 200, "until you unmute it", "Unmute")
	ben.post(at, url.Values{"content": {"hello"}})
	ada.get("/chat").want(t, 200, `aria-label="Muted"`, "badge-quiet", "hello")
	ben.get("/chat").want(t, 200).lacks(t, `aria-label="Muted"`, "badge-quiet")
	ada.post(at+"/mute", nil).leads(t, at+"/people.done=unmuted")
	ada.get("/chat").want(t, 200, "hello").lacks(t, `aria-label="Muted"`, "badge-quiet")
	w.as(w.cast.Stranger).post(at+"/mute", url.Values{"for": {"hour"}}).want(t, 404)
}

// The column, the results of a search and quotes show what is said without the signs
// of its markup.
func TestTextWithoutMarkup(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("", w.cast.Ben)
	id := w.send(w.cast.Ben, at, "Supper **tonight** at _six_ :tada:")
	ada.get("/chat").want(t, 200, "Supper tonight at six 🎉").lacks(t, "**", ":tada:")
	ada.get("/search?q=tonight").want(t, 200, "Supper <mark>tonight</mark> at six 🎉").lacks(t, "**")
	ada.get(at+"?reply="+id).want(t, 200, "<strong>tonight</strong>", `<span dir="auto">Supper tonight at six 🎉</span>`,
		`Supper tonight at six 🎉"`).lacks(t, "**")
}

func TestOlderMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("", w.cast.Ben)
	for i := range 60 {
		if _, err := w.chat.SendMessage.Call(t.Context(), storetest.Human(w.cast.Ben), chat.SendMessageIn{
			ConversationID: at[len("/chat/"):], Content: fmt.Sprintf("line %02d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	newest := ada.get(at+"?newest=1").want(t, 200, "line 10", "line 59", "data-latest", "60 new messages above")
	newest.lacks(t, "line 09", "unread-line", "<noscript>") // what is between was not seen
	older := strings.ReplaceAll(found(t, `href="(/chat/[^"]*before=[^"]*)"`, newest.body), "&amp;", "&")
	ada.get(older).want(t, 200, "line 00", "line 09", "Start of conversation", "Newest messages").lacks(t, "line 10", "data-latest")
	ada.get(at+"?before=nonsense").want(t, 200, "line 00")

	// The page opens at the first unread message, and reading follows it.
	first := ada.get(at).want(t, 200, "line 00", "line 49", "60 new messages", `id="unread-line"`)
	first.lacks(t, "line 50", "data-latest", `<div class="gap small" id="gap">`)
	later := html.UnescapeString(found(t, `href="(/chat/[^"]*after=[^"]*)"`, first.body))
	ada.read(at)
	if n := w.unread(w.cast.Ada); n != 10 {
		t.Errorf("%d unread, want the 10 that were not on the page", n)
	}
	ada.get(at).want(t, 200, "line 10", "line 59", `id="unread-line"`, "data-latest").lacks(t, "line 09")
	ada.read(later)
	ada.get(at).want(t, 200, "line 59").lacks(t, "unread-line", "conversation-unread")
	ada.get(at+"?newest=1").want(t, 200, "line 59", "Earlier messages")
}

// The address of a message opens the part of the conversation around it.
func TestMessageAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("", w.cast.Ben)
	var ids []string
	for i := range 120 {
		ids = append(ids, w.send(w.cast.Ada, at, fmt.Sprintf("line %03d", i)))
	}
	ada.get(at+"?at="+ids[40]).want(t, 200, "line 040", "line 030", "line 050", `marked" id="m-`+ids[40]+`" tabindex="-1" autofocus`,
		"before=", "after=", "Copy link").lacks(t, `id="m-`+ids[119], "data-latest")
	ada.get(at+"?at="+ids[119]).want(t, 200, "line 119", `marked" id="m-`+ids[119], "data-latest")
	other := ada.converse("Elsewhere", w.cast.Ben, w.cast.Cleo)
	ada.get(other+"?at="+ids[40]).want(t, 200, "No messages yet").lacks(t, " marked")
	w.as(w.cast.Stranger).get(at+"?at="+ids[40]).want(t, 404)
	w.as(w.cast.Ben).post(at+"/read", nil).leads(t, at+`\?newest=1`)
	if n := w.unread(w.cast.Ben); n != 0 {
		t.Errorf("%d unread after all were marked as read", n)
	}
	w.as(w.cast.Stranger).post(at+"/read", nil).want(t, 404)
	w.as(w.cast.Ben).post(at+"/unread", url.Values{"from": {ids[100]}}).leads(t, `/chat\?done=unread`)
	if n := w.unread(w.cast.Ben); n != 20 {
		t.Errorf("%d unread, want the 20 from the message on", n)
	}
	w.as(w.cast.Ben).get(at).want(t, 200, `id="unread-line"`, "20 new messages")
	w.as(w.cast.Ben).post(other+"/unread", url.Values{"from": {ids[100]}}).want(t, 404)
	w.as(w.cast.Stranger).post(at+"/unread", url.Values{"from": {ids[100]}}).want(t, 404)
	ada.post(at+"?newest=1", url.Values{"content": {"hi"}}).leads(t, at+`\?newest=1`)

	// A form of an old message that is refused is there again, whatever its address.
	long := url.Values{"content": {"too long" + strings.Repeat("!", 20000)}}
	for _, query := range []string{"", "?newest=1", "?before=" + url.QueryEscape(w.db.Clock.Now().UTC().Format(time.RFC3339))} {
		ada.post(at+"/message/"+ids[40]+query, long).want(t, 422, `id="edit-content-error"`, "too long!", "line 039", `id="m-`+ids[40])
		ada.post(at+query, with(long, "replyToId", ids[40])).want(t, 422, `id="compose-error"`, "too long!", `name="replyToId" value="`+ids[40],
			"line 040")
	}
	ada.get(at+"?edit="+ids[40]).want(t, 200, `id="edit-content"`)
}

// A conversation can be read while the database cannot be written.
func TestReadWithoutWriting(t *testing.T) {
	w := newWorld(t)
	at := w.as(w.cast.Ada).converse("", w.cast.Ben)
	w.as(w.cast.Ada).post(at, url.Values{"content": {"hello"}})
	ben := w.as(w.cast.Ben)
	if err := os.Rename(w.db.Path(), w.db.Path()+".moved"); err != nil {
		t.Fatal(err)
	}
	ben.post(at, url.Values{"content": {"hi"}}).want(t, 503)
	ben.get(at).want(t, 200, "hello")
}
