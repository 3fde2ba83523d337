package app_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// words that ada writes before she deletes her account.
const secretWord = "zirbelkiefer"

// eraseStage has ada write into everything that an account can have rows in.
func eraseStage(t *testing.T, w *world) {
	t.Helper()
	must := func(who, method, path, body, capture string) {
		t.Helper()
		res := w.json(who, method, w.fillIDs(path), w.fillIDs(body))
		if res.status/100 != 2 {
			t.Fatalf("stage: %s %s: %d %s", method, path, res.status, res.body)
		}
		if capture != "" {
			w.ids["$id:"+capture] = idIn(t, res.body)
		}
	}
	const conversations = "/api/chat/conversations"
	s := secretWord
	for who, by := range map[string]string{"ada": "ben", "cleo": "ada"} {
		must(who, "PATCH", "/api/auth/me", `{"discoveryMode":"email_only"}`, "")
		must(by, "GET", "/api/people?q="+who+"@example.org", "", "")
		must(who, "PATCH", "/api/auth/me", `{"discoveryMode":"name"}`, "")
	}
	must("ada", "PATCH", "/api/auth/me", `{"name":"`+s+`"}`, "")
	must("ada", "PUT", "/api/auth/me/status", `{"text":"`+s+`"}`, "")
	must("ada", "POST", conversations, `{"participantIds":["$id:ben"],"title":"`+s+`"}`, "pair")
	must("ada", "POST", conversations, `{"participantIds":["$id:ada"]}`, "self")
	must("root", "PATCH", "/api/admin/settings", `{"memberInvites":true}`, "")
	must("ada", "POST", "/api/community/invitations", `{}`, "")
	must("ada", "POST", conversations+"/$id:self/messages", `{"content":"note `+s+`"}`, "")
	must("ada", "POST", conversations, `{"participantIds":["$id:ben","$id:cleo"],"type":"group","title":"Garden"}`, "group")
	must("ada", "PATCH", conversations+"/$id:group", `{"title":"`+s+`"}`, "")
	must("ada", "PATCH", conversations+"/$id:group", `{"title":"Garden"}`, "")
	for _, id := range []string{"$id:pair", "$id:group"} {
		for i := range 12 {
			must("ada", "POST", conversations+"/"+id+"/messages", fmt.Sprintf(`{"content":"%s %d #fact @Ben"}`, s, i), "message")
			must("ben", "POST", conversations+"/"+id+"/messages", `{"content":"an answer, @Ada","replyToId":"$id:message"}`, "answer")
			if i == 4 {
				must("ben", "PATCH", conversations+"/"+id+"/read", "", "")
			}
		}
	}
	must("ada", "POST", "/api/chat/messages/$id:answer/reactions", `{"emoji":"🗂️","kind":"filed","href":"https://`+s+`.example/"}`, "")
	must("ben", "POST", "/api/chat/messages/$id:message/reactions", `{"emoji":"👍"}`, "")
	must("ada", "POST", "/api/thoughts", `{"text":"`+s+`"}`, "thought")
	must("ada", "POST", "/api/thoughts/$id:thought/pin", `{"conversationId":"$id:group"}`, "")
	must("ada", "POST", "/api/lists", `{"title":"`+s+`","visibility":"public","items":[{"content":"`+s+`"}]}`, "list")
	must("ben", "POST", "/api/lists", `{"title":"Jams","visibility":"public-edit"}`, "jams")
	must("ada", "POST", "/api/lists/$id:jams/items", `{"content":"plum"}`, "")
	must("ben", "PUT", "/api/lists/$id:jams/members/$id:ada", `{"role":"editor"}`, "")
	must("ben", "POST", "/api/lists/$id:jams/items", `{"content":"quince"}`, "quince")
	must("ada", "PUT", "/api/lists/$id:jams/items/$id:quince/star", ``, "")
	must("ada", "POST", "/api/lists/$id:jams/items/$id:quince/comments", `{"content":"`+s+`"}`, "comment")
	must("ben", "POST", "/api/lists/$id:jams/items/$id:quince/comments", `{"content":"an answer","parent_id":"$id:comment"}`, "")
	must("ada", "POST", "/api/lists/$id:jams/items/$id:quince/comments", `{"content":"`+s+` again"}`, "")
	must("ada", "POST", "/api/friends/users/$id:ben/request", ``, "")
	must("ada", "POST", "/api/chat/users/$id:stranger/block", ``, "")
	must("ada", "POST", "/api/secretary/answers", `{"question":"`+s+`?","answer":"`+s+`"}`, "")
	must("ada", "POST", "/api/chat/reports", `{"targetType":"message","targetId":"$id:answer","reason":"spam","freeform":"`+s+`"}`, "")
	must("ben", "POST", "/api/chat/reports", `{"targetType":"message","targetId":"$id:message","reason":"spam"}`, "")
	must("ben", "POST", "/api/chat/reports", `{"targetType":"user","targetId":"$id:ada","reason":"spam"}`, "")
	must("ada", "POST", "/api/feedback", `{"message":"`+s+`"}`, "")
	must("ada", "POST", "/api/webhooks", `{"url":"https://`+s+`.example/hook"}`, "")
	must("ada", "POST", "/api/push/subscriptions", subscription("https://"+s+".example/push", s), "")
	w.eraseContext(must)
	w.eraseMatch()
	must("ada", "POST", "/api/agent-keys", `{"name":"`+s+`","agentName":"`+s+`"}`, "")
	must("ada", "PATCH", "/api/card/me", `{"headline":"`+s+`"}`, "")
	must("ada", "POST", "/api/auth/me/avatar", "file:me.png:png", "")
	for range 2 { // one that is sent, and one that is not
		res := w.upload("ada", s+".txt", strings.Repeat(s+" \n", 15_000))
		w.ids["$id:file"] = idIn(t, res.body)
	}
	must("ada", "POST", conversations+"/$id:pair/messages", `{"content":"","attachments":[{"url":"/api/chat/attachments/$id:file"}]}`, "filed")
	must("ben", "POST", "/api/chat/reports", `{"targetType":"message","targetId":"$id:filed","reason":"spam"}`, "")
}

// eraseContext has ada post, ask, be asked, answer and track in a Context lane.
func (w *world) eraseContext(must func(who, method, path, body, capture string)) {
	const lane = "/api/chat/conversations/$id:group/context"
	s := secretWord
	w.ids["$id:adakey"], w.ids["$id:benkey"] = w.keyID("ada/rw"), w.keyID("ben/rw")
	must("ada", "PUT", "/api/chat/context-agent/preferences", `{"keyId":"$id:adakey","enabled":true}`, "")
	must("ben", "PUT", "/api/chat/context-agent/preferences", `{"keyId":"$id:benkey","enabled":true}`, "")
	must("ada", "POST", lane, `{"text":"`+s+`","kind":"ask","clientRequestId":"`+s+`"}`, "post")
	must("ada", "POST", lane+"/$id:post/intention", `{"sourceRevision":1,"clientRequestId":"`+s+`"}`, "")
	must("ada", "POST", lane+"/$id:post/ask-agents", "", "")
	must("ben", "POST", lane, `{"text":"What now?","clientRequestId":"b","replyToId":"$id:post"}`, "question")
	must("ben", "POST", lane+"/$id:question/ask-agents", "", "")
	must("ben", "POST", lane+"/$id:post/report", `{"reason":"spam"}`, "")
	must("ada/rw", "POST", "/api/chat/context-agent/requests/"+w.firstRequest("ada/rw")+"/respond", `{"text":"`+s+`"}`, "")
}

// eraseMatch connects ada, who offers, and ben in a match, whose card has the words of
// both. A match with cleo stays open.
func (w *world) eraseMatch() {
	const ladder = "A long ladder for gutters"
	w.want("ben", "POST", "/api/intents", `{"kind":"ask","terms":"`+ladder+`","confirm":true}`, 201, "")
	w.want("ada", "POST", "/api/intents", `{"kind":"offer","terms":"`+ladder+` `+secretWord+`","confirm":true,"closeOnConnect":false}`, 201,
		"")
	id := w.firstID("ben", "/api/matches", "matches")
	for _, who := range []string{"ada", "ben"} {
		w.want(who, "POST", "/api/matches/"+id+"/respond", `{"decision":"approve"}`, 200, "")
	}
	w.want("cleo", "POST", "/api/intents", `{"kind":"ask","terms":"`+ladder+`","confirm":true}`, 201, "")
	w.want("cleo", "GET", "/api/matches", "", 200, secretWord)
	w.want("ben", "GET", "/api/chat/conversations/$id:pair/messages", "", 200, ladder+" "+secretWord)
}

// secrets returns what is stored of an account and has no word: the pictures, and
// the secrets of its webhooks.
func (w *world) secrets(userID string) (all []string) {
	w.t.Helper()
	var pictures []string
	w.rows(func(table string, row []any) {
		if line := fmt.Sprint(row...); strings.Contains(line, userID) {
			switch table {
			case "picture":
				pictures = append(pictures, fmt.Sprint(row[3].(int64)<<16))
			case "webhook":
				all = append(all, row[4].(string), row[5].(string))
			}
		}
	})
	w.rows(func(table string, row []any) {
		if table == "blob_part" && slices.Contains(pictures, fmt.Sprint(row[0])) {
			all = append(all, string(row[1].([]byte)))
		}
	})
	return all
}

// traces returns the tables whose rows contain text.
func traces(t testing.TB, w *world, text string) (tables []string) {
	t.Helper()
	w.rows(func(table string, row []any) {
		if line := fmt.Sprintf("%s %s", table, row); strings.Contains(line, text) {
			tables = append(tables, line[:min(len(line), 200)])
		}
	})
	return tables
}

// After the deletion of an account no row has its words or its address; nobody is
// shown any of them; and the file and its log do not contain the words.
func TestDeletedAccountLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.token("ben")
	w.token("cleo")
	eraseStage(t, w)
	// Of the bot, too, in a conversation that a block of its owner hides.
	w.ids["$id:bot"] = idIn(t, w.must("ada/bot", "GET", "/api/auth/me", ""))
	w.must("cleo", "POST", "/api/chat/conversations", `{"participantIds":["$id:bot"]}`)
	w.must("cleo", "POST", "/api/chat/users/$id:ada/block", "")
	if len(traces(t, w, secretWord)) < 20 {
		t.Fatalf("the stage has few words: %q", traces(t, w, secretWord))
	}
	secrets := append(w.secrets(w.cast.Ada.ID), "ada@example.org")
	if len(secrets) != 4 {
		t.Fatalf("the stage has %d secrets", len(secrets))
	}
	if res := w.json("ada", "DELETE", "/api/auth/me", ""); res.status != 204 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	w.settle()
	for _, text := range []string{secretWord, "ada@example.org"} {
		if left := traces(t, w, text); len(left) > 0 {
			t.Errorf("%q is in %q", text, left)
		}
	}
	if left := w.idTraces(w.cast.Ada.ID); len(left) > 0 {
		t.Errorf("the id is in %q", left)
	}
	w.noWord(t, secrets...)
	w.want("ben", "GET", "/api/chat/conversations/$id:pair/messages", "", 200,
		`\"askTerms\":\"A long ladder for gutters\",\"offerTerms\":\"\"`)
	for _, who := range []string{"ben", "cleo"} {
		for _, path := range []string{"/api/chat/conversations", "/api/chat/conversations/$id:group/messages", "/api/matches",
			"/api/chat/conversations/$id:group/stream", "/api/chat/conversations/$id:group/context", "/api/chat/conversations/$id:group/content",
			"/api/friends", "/api/lists?public=true", "/api/chat/search?q=" + secretWord, "/api/auth/export?range=all_time"} {
			if res := w.json(who, "GET", w.fillIDs(path), ""); res.status != 200 ||
				strings.Contains(strings.ReplaceAll(res.raw, `"q"`, ""), secretWord) || strings.Contains(res.raw, w.cast.Ada.ID) {
				t.Errorf("%s receives from %s: %d %s", who, path, res.status, res.body)
			}
		}
	}
}

// The stars and comments of a deleted account are gone, and its items on others'
// lists have no author; what others said, and their own stars, stay.
func TestDeletedAccountOnOthersLists(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:l"] = idIn(t, w.want("ben", "POST", "/api/lists", `{"title":"Jams","visibility":"public-edit"}`, 201, "").body)
	const items = "/api/lists/$id:l/items"
	w.ids["$id:i"] = idIn(t, w.want("ada", "POST", items, `{"content":"plum"}`, 201, "").body)
	const i = items + "/$id:i"
	for _, who := range []string{"ada", "ben", "cleo"} {
		w.want(who, "PUT", i+"/star", "", 200, "")
	}
	w.ids["$id:c"] = idIn(t, w.want("ada", "POST", i+"/comments", `{"content":"first words"}`, 201, "").body)
	w.want("ben", "POST", i+"/comments", `{"content":"an answer","parent_id":"$id:c"}`, 201, "")
	w.want("ada", "POST", i+"/comments", `{"content":"last words"}`, 201, "")
	w.want("cleo", "GET", i, "", 200, `"star_count":3,"starred":true,"comment_count":3`)
	tag := w.do("anonymous", "GET", w.fillIDs(i), nil, "").header.Get("ETag")

	w.want("ada", "DELETE", "/api/auth/me", "", 204, "")
	w.settle()
	w.want("cleo", "GET", i, "", 200, `"author_id":null,"author_name":"Former member"`)
	w.want("cleo", "GET", i, "", 200, `"star_count":2,"starred":true,"comment_count":1`)
	comments := string(w.want("cleo", "GET", i+"/comments", "", 200, `"content":"an answer"`).body)
	if strings.Contains(comments, "words") || strings.Count(comments, `"content":`) != 2 || strings.Contains(comments, w.cast.Ada.ID) {
		t.Errorf("the comments are %s", comments)
	}
	if left := traces(t, w, "words"); len(left) > 0 {
		t.Errorf("the comments are in %q", left)
	}
	if res := w.conditional("anonymous", i, tag); res.status != 200 {
		t.Errorf("the ETag is still valid: %d", res.status)
	}
}

// noWord checks that the file and its log do not have the words, nor anything
// else.
func (w *world) noWord(t *testing.T, others ...string) {
	t.Helper()
	for _, name := range []string{w.app.DB().Path(), w.app.DB().Path() + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(others, secretWord) {
			if n := bytes.Count(b, []byte(text)); n > 0 {
				t.Errorf("%s has %.40q %d times", name, text, n)
			}
		}
	}
}
