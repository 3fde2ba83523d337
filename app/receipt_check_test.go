package app_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/store"
)

// What a result has of a conversation, the caller's own account, and others.
const (
	receiptOfConversation = "type participants[].role participants[].user.presenceStatus=offline lastMessage.messageType"
	receiptOfAccount      = "presenceStatus groupAdds discoveryMode"
	receiptOfThought      = "kind status visibility provenance"
	receiptOfPost         = "kind lane revision"
	receiptOfIntent       = "intent.kind intent.status intent.matchingMode"
	receiptOfDraft        = "draft.state draft.matchingMode"
	receiptOfPreview      = "approvalRequired approvalGrant action"
)

// receiptMembers has the paths of the members, by operation, that a key without the
// scope read sees besides ids, times and what it sent: what the call itself has made or
// decided, and words of a closed list, of which the empty text is none. Where such a
// word tells of others, it is the one behind the sign =.
var receiptMembers = map[string]string{
	"PATCH /api/auth/me":            receiptOfAccount,
	"PUT /api/auth/me/status":       receiptOfAccount,
	"POST /api/auth/me/avatar":      receiptOfAccount,
	"DELETE /api/auth/me/avatar":    receiptOfAccount,
	"PATCH /api/social/preferences": "experienceMode",

	"POST /api/chat/conversations":                             receiptOfConversation,
	"PATCH /api/chat/conversations/{id}":                       receiptOfConversation,
	"POST /api/chat/conversations/{id}/join":                   receiptOfConversation,
	"POST /api/chat/invites/{token}/accept":                    receiptOfConversation,
	"POST /api/chat/conversations/{id}/picture":                receiptOfConversation,
	"DELETE /api/chat/conversations/{id}/picture":              receiptOfConversation,
	"POST /api/chat/conversations/{id}/participants":           receiptOfConversation,
	"PATCH /api/chat/conversations/{id}/participants/{userId}": receiptOfConversation,
	"PATCH /api/chat/conversations/{id}/participants/me":       receiptOfConversation,
	"POST /api/chat/conversations/{id}/invites":                "token url",
	"POST /api/chat/conversations/{id}/messages":               "messageType",
	"PATCH /api/chat/messages/{id}":                            "messageType",
	"DELETE /api/chat/messages/{id}":                           "messageType",

	"POST /api/chat/conversations/{id}/context":                     receiptOfPost,
	"PATCH /api/chat/conversations/{id}/context/{postId}":           receiptOfPost,
	"POST /api/chat/conversations/{id}/context/{postId}/ask-agents": "queued",
	"POST /api/chat/conversations/{id}/context/{postId}/intention":  "kind lifecycleState",

	"POST /api/admin/reports/{id}/decide": "targetType",
	"POST /api/admin/settings/picture":    "signup dateLanguage",

	"POST /api/thoughts":           receiptOfThought,
	"PATCH /api/thoughts/{id}":     receiptOfThought,
	"POST /api/thoughts/{id}/pin":  receiptOfThought,
	"POST /api/webhooks/{id}/test": "status",

	"POST /api/lists":           "list.visibility",
	"POST /api/lists/import":    "list.visibility",
	"PATCH /api/lists/{id}":     "list.visibility",
	"PUT /api/lists/{id}/owner": "list.visibility",
	"TOOL create_list":          "list.visibility",
	"TOOL update_list":          "list.visibility",
	"TOOL delete_item":          "done",

	"POST /api/chat/users/{id}/block":       "user.presenceStatus=offline",
	"POST /api/friends/users/{id}/request":  "state",
	"POST /api/friends/users/{id}/accept":   "state",
	"POST /api/friends/users/{id}/decline":  "state",
	"POST /api/friends/users/{id}/cancel":   "state",
	"POST /api/friends/users/{id}/remove":   "state",
	"POST /api/card/{token}/friend-request": "state",

	"POST /api/intents":                     receiptOfIntent,
	"PATCH /api/intents/{id}":               receiptOfIntent,
	"POST /api/intent-drafts":               receiptOfDraft,
	"PATCH /api/intent-drafts/{id}":         receiptOfDraft,
	"POST /api/intent-drafts/{id}/activate": receiptOfPreview,
	"POST /api/stories":                     receiptOfPreview,
	"PATCH /api/stories/{id}":               "story.matchingMode",
	"POST /api/matches/{id}/respond":        "match.status match.matchType match.otherKind match.ownIntent.kind",
}

// isReceiptMember reports whether the text of receiptMembers allows the value of the
// member at a path.
func isReceiptMember(allowed, path string, v any) bool {
	for one := range strings.FieldsSeq(allowed) {
		if member, word, fixed := strings.Cut(one, "="); member == path && (!fixed || word == v) {
			return true
		}
	}
	return false
}

// receiptCheck finds in a response what a key that may write and not read must not get.
type receiptCheck struct {
	operation string
	sent      map[string][]any // the values in the request, by the name of the member
	more      []string
}

// moreThanReceipt returns the members of a response to such a key that are more than
// a receipt. query and body are those of the request.
func moreThanReceipt(operation, query, body string, response []byte) []string {
	c := receiptCheck{operation: operation, sent: map[string][]any{}}
	if values, err := url.ParseQuery(query); err == nil {
		for name, texts := range values {
			for _, text := range texts {
				c.send(name, text)
			}
		}
	}
	var sent, got any
	if json.Unmarshal([]byte(body), &sent) == nil {
		c.send("", sent)
	}
	if err := json.Unmarshal(response, &got); err != nil {
		return []string{err.Error()}
	}
	c.check("", "", got)
	return c.more
}

// send adds the values in a value of the request to what was sent.
func (c *receiptCheck) send(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			c.send(name, inner)
		}
	case []any:
		for _, inner := range v {
			c.send(name, inner)
		}
	case string:
		c.sent[name] = append(c.sent[name], strings.TrimSpace(v))
	default:
		c.sent[name] = append(c.sent[name], v)
	}
}

// check checks a value of the response, the member at a path.
func (c *receiptCheck) check(path, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			c.check(strings.TrimPrefix(path+"."+name, "."), name, inner)
		}
	case []any:
		for _, inner := range v {
			c.check(path+"[]", name, inner)
		}
	default:
		if !isReceipt(name, v) && !slices.Contains(c.sent[name], v) && !isReceiptMember(receiptMembers[c.operation], path, v) {
			c.more = append(c.more, fmt.Sprintf("%s: %s is %v, which was not sent", c.operation, path, v))
		}
	}
}

// isReceipt reports whether a value of a member with the name is one that every
// receipt may have: nothing, an id or a time.
func isReceipt(name string, v any) bool {
	text, isText := v.(string)
	if !isText {
		return v == nil || v == false || v == 0.0
	}
	short := strings.TrimSuffix(name, "s")
	isID := short == "id" || strings.HasSuffix(short, "Id") || strings.HasSuffix(short, "_id")
	_, noTime := time.Parse(time.RFC3339, text)
	return text == "" || noTime == nil || isID && (store.ValidID(text) || strings.HasPrefix(text, "msg_"))
}
