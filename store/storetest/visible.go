package storetest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unprotected lists the tables that everybody may read. Every other table is protected.
var unprotected = map[string]string{
	"setting":      "the server's own",
	"clock":        "the server's own",
	"sequence":     "the server's own",
	"quota":        "the server's own",
	"job":          "the server's own",
	"erased":       "ids of accounts that were deleted",
	"word_queue":   "the server's own",
	"link_preview": "what public pages say about themselves",
	"item_receipt": "read by the token alone, whose hash is the key",
	"idempotency":  "read by the hash of the caller and their key alone",
	"login_link":   "read by the token or the code alone, whose hash is the key",
}

// nouns has the noun of each protected table. A statement that reads the table needs the predicate of the noun.
var nouns = map[string]string{
	"user": "user", "user_word": "user",
	"session": "session", "community_invite": "invitation",
	"api_key": "key", "key_use": "key",
	"message_word": "conversation", "message_word_data": "conversation", "message_word_idx": "conversation",
	"message_word_config": "conversation", "message_word_content": "conversation",
	"conversation": "conversation", "conversation_change": "conversation", "member": "conversation", "message": "conversation",
	"invite": "conversation", "former_member": "conversation",
	"list": "list", "list_member": "list", "item": "list", "item_star": "list", "item_comment": "comment", "held_item": "held",
	"list_word": "list", "list_word_data": "list", "list_word_idx": "list", "list_word_config": "list", "list_word_content": "list",
	"item_word": "list", "item_word_data": "list", "item_word_idx": "list", "item_word_config": "list", "item_word_content": "list",
	"event": "event",
	"block": "block", "found_person": "user", "friend": "friend", "friend_cooldown": "friend", "card": "card",
	"report": "report", "report_file": "report", "feedback": "feedback", "audit": "audit",
	"reaction": "conversation", "mention": "conversation", "message_attachment": "conversation",
	"attachment": "attachment", "blob": "attachment", "blob_part": "attachment", "picture": "attachment",
	"thought": "thought", "thought_pin": "thought", "thought_collapsed": "thought",
	"secretary": "secretary", "secretary_answer": "secretary",
	"webhook": "webhook", "delivery": "webhook", "push_subscription": "push", "push": "push",
	"push_preference": "push",
	"intent":          "intent", "intent_vector": "intent", "intent_audience": "intent", "intent_match": "match",
	"story": "story", "story_audience": "story", "story_new": "story", "intent_draft": "draft",
	"context_post": "conversation", "context_key": "key", "context_request": "request", "context_intention": "intent",
	"approval_grant": "grant", "social_preference": "preference",
}

var (
	predicate = regexp.MustCompile(`(?s)/\* visible: (\w+) \*/.*?/\* end \*/`)
	reason    = regexp.MustCompile(`/\* server: [^*]*\w[^*]* \*/`)
	comment   = regexp.MustCompile(`(?s)/\*.*?\*/|'[^']*'`)
	token     = regexp.MustCompile(`\w+|\S`)
)

// CheckVisible fails the test if a statement reads a protected table without the predicate of the table's noun.
// Predicates are in the store's visible.go. A comment with the reason why the server reads it for itself, as in /*
// server: pruning */, permits it. The target of a write is not read.
func CheckVisible(t testing.TB, query string) {
	if fault := unseen(query); fault != "" {
		t.Errorf("%s: add a predicate of store/visible.go, or /* server: why */, to\n%s", fault, query)
	}
}

func unseen(query string) string {
	if reason.MatchString(query) {
		return ""
	}
	has := map[string]bool{}
	for _, m := range predicate.FindAllStringSubmatch(query, -1) {
		has[m[1]] = true
	}
	rest := comment.ReplaceAllString(predicate.ReplaceAllString(query, " 1 "), " 1 ")
	for _, table := range tablesRead(rest) {
		if noun := nouns[table]; !has[noun] {
			return fmt.Sprintf("the table %s is read without the predicate for a %s", table, noun)
		}
	}
	return ""
}

// tablesRead ignores comments, texts, the target of a write, and the names of columns.
func tablesRead(query string) []string {
	var read []string
	words := token.FindAllString(query, -1)
	at := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return strings.ToUpper(words[i])
	}
	for i, word := range words {
		target := at(i-1) == "INTO" || at(i-1) == "UPDATE" || at(i-1) == "FROM" && at(i-2) == "DELETE"
		column := at(i-1) == "." || at(i+1) == "."
		if _, ok := nouns[word]; ok && !target && !column {
			read = append(read, word)
		}
	}
	return read
}

func checkTables(t testing.TB, tables []string) {
	for _, table := range tables {
		_, free := unprotected[table]
		if _, ok := nouns[table]; ok == free {
			t.Errorf("storetest: name the noun of the table %s, or why it is unprotected", table)
		}
	}
	for _, table := range slices.Concat(slices.Collect(maps.Keys(nouns)), slices.Collect(maps.Keys(unprotected))) {
		if !slices.Contains(tables, table) {
			t.Errorf("storetest: there is no table %s", table)
		}
	}
}
