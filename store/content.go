package store

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// ContentPlace is where something stands in the content of a conversation. The newest
// comes first; at the same moment, the greatest id comes first.
type ContentPlace struct {
	At Time
	ID string
}

// ContentKey is an item of the content of a conversation: a post of the Context
// lane or an entry of the Stream.
type ContentKey struct {
	ContentPlace
	Stream bool
}

// ContentQuery selects items of the content of a conversation.
type ContentQuery struct {
	ConversationID string
	Context        bool         // posts
	Stream         bool         // entries
	Kind           string       // of posts; "" for all
	Search         string       // in texts and tags, without regard to case; "" for all
	After          ContentPlace // items after this one; zero for the newest
	Limit          int
}

const (
	maxExamined    = 4000    // items that a search looks at for one page
	maxContentText = 1 << 20 // bytes of their text after which a page ends
)

// contentQuery selects up to ?8 places in the content of the conversation ?2 for
// the viewer ?1, after the place ?4 ?5. The viewer's session is direct if ?3. The
// places have posts if ?6, and entries if ?7.
//
// Each part is read along an index from the place on, apart from the pins, of
// which a conversation has few, and SQLite merges the parts. No thought is in two
// of them. Several pins of the same message of the conversation with the same text
// are one item, that of its capture or else the oldest; see ContentAliases.
var contentQuery = `SELECT at, id, stream, kind, text, tags FROM (
	SELECT x.created_at AS at, x.id AS id, 0 AS stream, x.kind AS kind, x.text AS text, '[]' AS tags
		FROM context_post x WHERE ?6 AND x.conversation_id = ?2 AND (x.created_at, x.id) < (?4, ?5) AND ` + visibleConversation("?2", "?1") + `
	UNION ALL SELECT t.created_at, t.id, 1, '', t.text, t.tags
		FROM thought t WHERE ?7 AND t.source_conversation_id = ?2 AND t.captured = 1 AND (t.created_at, t.id) < (?4, ?5)
		AND NOT ` + pinnedHere + ` AND ` + visibleEntry("t", "?2", "?1", "?3") + `
	UNION ALL SELECT t.created_at, t.id, 1, '', t.text, t.tags
		FROM thought t WHERE ?7 AND ?3 AND t.user_id = ?1 AND t.source_conversation_id = ?2 AND t.captured = 0 AND (t.created_at, t.id) < (?4, ?5)
		AND NOT ` + pinnedHere + ` AND ` + visibleEntry("t", "?2", "?1", "?3") + `
	UNION ALL SELECT t.created_at, t.id, 1, '', t.text, t.tags
		FROM thought_pin p CROSS JOIN thought t ON t.id = p.thought_id WHERE ?7 AND p.conversation_id = ?2 AND (t.created_at, t.id) < (?4, ?5)
		AND ` + visibleEntry("t", "?2", "?1", "?3") + `
		AND (t.captured = 1 OR t.source_message_id IS NULL OR t.source_conversation_id <> ?2 OR NOT ` + earlierCapture + `)
	ORDER BY 1 DESC, 2 DESC LIMIT ?8)`

// pinnedHere is the condition that a thought t is pinned to the conversation ?2.
const pinnedHere = `EXISTS (SELECT 1 FROM thought_pin h WHERE h.conversation_id = ?2 AND h.thought_id = t.id)`

// earlierCapture is the condition that the message that a thought t was captured
// from is in the content already, with the same text.
var earlierCapture = `EXISTS (
	SELECT 1 FROM thought a WHERE a.source_message_id = t.source_message_id AND a.captured = 1 AND a.text = t.text
	UNION ALL SELECT 1 FROM thought a JOIN thought_pin ap ON ap.conversation_id = ?2 AND ap.thought_id = a.id
		WHERE a.source_message_id = t.source_message_id AND a.captured = 0 AND a.text = t.text AND (a.created_at, a.id) < (t.created_at, t.id))`

// Content returns up to q.Limit items of a conversation, the newest first, and after what to continue: the zero ContentPlace
// if there are no more. A page has a limited amount of text, and a search looks at a limited number of items. So a page may
// have fewer than q.Limit items, or none, although there are more. It returns ErrNoRow if by may not see the conversation.
func (r *Reader) Content(by Viewer, q ContentQuery) (keys []ContentKey, next ContentPlace, err error) {
	if _, err := r.Member(by, q.ConversationID, by.UserID); err != nil {
		return nil, ContentPlace{}, err
	}
	after, examine := q.After, q.Limit+1
	if after == (ContentPlace{}) {
		after.At = orEnd(0)
	}
	if q.Search != "" || q.Kind != "" {
		examine = maxExamined
	}
	needle, last, n, size := Fold(q.Search), ContentPlace{}, 0, 0
	err = each(r, func(row *contentRow) bool {
		matches := row.matches(q.Kind, needle)
		if size > maxContentText || matches && len(keys) == q.Limit {
			next = last
			return false
		}
		if matches {
			keys = append(keys, row.ContentKey)
		}
		n, last, size = n+1, row.ContentPlace, size+len(row.Text)
		return true
	}, contentQuery, by.UserID, q.ConversationID, by.Direct(), after.At, after.ID, q.Context, q.Stream, examine)
	if n == examine && examine == maxExamined {
		next = last
	}
	return keys, next, err
}

type contentRow struct {
	ContentKey
	Kind, Text, Tags string
}

// matches reports whether the item has the kind, and the folded text in its text
// or a tag.
func (c *contentRow) matches(kind, needle string) bool {
	return (kind == "" || c.Kind == kind) && (needle == "" || strings.Contains(Fold(c.Text), needle) || c.hasTag(needle))
}

// hasTag reports whether a tag has the folded text.
func (c *contentRow) hasTag(needle string) bool {
	if c.Tags == "[]" {
		return false
	}
	var tags []string
	return json.Unmarshal([]byte(c.Tags), &tags) == nil && slices.ContainsFunc(tags,
		func(tag string) bool { return strings.Contains(tag, strings.TrimPrefix(needle, "#")) })
}

// EntriesByID returns the entries with the ids that by may see in the Stream of a
// conversation, in no order.
func (r *Reader) EntriesByID(by Viewer, conversationID string, ids ...string) ([]Entry, error) {
	return all[Entry](r, `SELECT `+entryColumns+` FROM json_each(?4) j CROSS JOIN thought t ON t.id = j.value`+entryTables,
		by.UserID, conversationID, by.Direct(), jsonList(ids))
}

// ContentAlias is an entry that is part of another entry in the content of a
// conversation: both are shared captures of a message, with the same text.
type ContentAlias struct{ ID, AliasID string }

// ContentAliases returns the entries that are part of those with the ids, in the
// order in which they were captured.
func (r *Reader) ContentAliases(by Viewer, conversationID string, ids ...string) ([]ContentAlias, error) {
	return all[ContentAlias](r, `SELECT t.id, a.id FROM json_each(?4) j CROSS JOIN thought t ON t.id = j.value
		CROSS JOIN thought a ON a.source_message_id = t.source_message_id AND a.captured = 0 AND a.text = t.text AND a.id <> t.id
		CROSS JOIN thought_pin p ON p.conversation_id = ?2 AND p.thought_id = a.id
		WHERE t.source_conversation_id = ?2 AND (t.captured = 1 OR `+pinnedHere+`)
			AND `+visibleEntry("t", "?2", "?1", "?3")+` AND `+visibleEntry("a", "?2", "?1", "?3")+`
		ORDER BY a.created_at, a.id`, by.UserID, conversationID, by.Direct(), jsonList(ids))
}
