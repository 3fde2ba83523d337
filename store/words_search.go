package store

import (
	"cmp"
	"errors"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Search is what messages are searched for. All that is set must hold.
type Search struct {
	Terms         []Term
	Senders       []string // ids of accounts; one of them sent it
	Conversations []string // ids; one of them contains it; nil is all
	Has           []string // kinds of content, such as HasLink
	Reacted       bool     // it has reactions
	From, Until   Time     // sent at From or later, and before Until; 0 is no bound
}

// Term is words of a search, as Words returns them: a text has them all, each
// of three characters or more also as the beginning of a longer word.
type Term struct {
	Words  string
	Phrase bool // the words exactly, one after the other
}

// maxQueryWords is how many words a term has at most. One character that is
// typed can become several words when it is compared.
const maxQueryWords = 50

// AddTerm adds a text that a person typed to the terms of a search, up to its first 50
// words.
func AddTerm(terms []Term, text string, phrase bool) []Term {
	words := strings.Fields(Words(text))
	t := Term{Words: " " + strings.Join(words[:min(len(words), maxQueryWords)], " ") + " ", Phrase: phrase}
	if len(words) == 0 || slices.Contains(terms, t) {
		return terms
	}
	return append(terms, t)
}

// Searched is a part of the result of a search.
type Searched struct {
	Messages []Message // the newest first
	// Next continues the search: its Until in the next one. It is 0 if there is
	// nothing more. A part may have few messages, or none, although there are more.
	Next Time
}

// maxCompared is how many rows that the viewer may see a part of a search compares. Rows of
// others are not counted, so that the result tells nothing of them.
const maxCompared = 2000

// maxTags is up to how many conversations or senders the index is asked for by their tags.
const maxTags = 50

// SearchMessages returns up to limit messages that by may see, from before
// q.Until, the newest first.
func (r *Reader) SearchMessages(by Viewer, q Search, limit int) (Searched, error) {
	match, err := r.matchMessages(by, &q)
	if err != nil {
		return Searched{}, err
	}
	s := searching[Message]{limit: limit, finds: q.finds, at: func(m *Message) int64 { return int64(m.CreatedAt) }}
	err = s.add(r, `SELECT `+messageColumns+` FROM word_queue w
		CROSS JOIN message x ON x.conversation_id = w.conversation_id AND x.created_at = w.id
		WHERE w.noun = 'message' AND w.id >= ?2 AND w.id < ?3 AND `+liveMessage("x")+` AND `+visibleConversation("x.conversation_id", "?1")+`
		ORDER BY w.id DESC LIMIT ?4`, by.UserID, q.From, orEnd(q.Until), maxCompared)
	if err == nil {
		err = r.indexedMessages(by, q, match, s.comparing())
	}
	found, next := s.result()
	return Searched{found, Time(next)}, err
}

// maxStrange is how many rows of others a search looks up. From then on it reads which numbers
// the viewer's own rows have.
const maxStrange = 60

// indexedMessages calls next with the messages that by may see among those that the index has for match, the
// newest first, until next reports false.
func (r *Reader) indexedMessages(by Viewer, q Search, match string, next func(*Message) bool) error {
	query, args := `SELECT w.rowid FROM message_word w WHERE w.rowid >= ? AND w.rowid < ?`, []any{q.From, orEnd(q.Until)}
	if match != "" {
		query, args = query+` AND w.message_word MATCH ?`, append(args, match)
	}
	var (
		strange int
		first   Time
		own     *ownTimes
		err     error
	)
	failed := each(r, func(at *Time) bool {
		first = max(first, *at)
		if own == nil && strange == maxStrange {
			own = &ownTimes{r: r, by: by, oldest: q.From, from: *at + 1, span: first - *at}
		}
		if own != nil {
			mine, failed := own.have(*at)
			if err = failed; !mine {
				return err == nil && !own.end()
			}
		}
		m, failed := one[Message](r, `SELECT `+messageColumns+` FROM message_word w
			CROSS JOIN message x ON x.conversation_id = w.conversation_id AND x.created_at = w.rowid
			WHERE w.rowid = ?2 AND `+liveMessage("x")+` AND `+visibleConversation("x.conversation_id", "?1")+` /* scan: one row */`, by.UserID, *at)
		if errors.Is(failed, ErrNoRow) {
			strange++
			return true
		}
		err = failed
		return err == nil && next(&m)
	}, query+` ORDER BY w.rowid DESC /* server: numbers of rows */ /* scan: the index */`, args...)
	return cmp.Or(err, failed)
}

// ownTimes are the times at which the messages that a viewer may see were sent. It reads them in periods, each
// longer than the one before.
type ownTimes struct {
	r            *Reader
	by           Viewer
	oldest, from Time // of the search, and of what was read
	span         Time // of the last period
	times        []Time
}

// have reports whether one of the messages was sent then. The times it is asked for go downwards.
func (o *ownTimes) have(at Time) (bool, error) {
	if at < o.from {
		o.span *= 4
		until := o.from
		o.from = max(o.oldest, at-o.span)
		times, err := all[Time](o.r, `SELECT x.created_at FROM member m CROSS JOIN message x ON x.conversation_id = m.conversation_id
			WHERE `+visibleMembership("m", "?1")+` AND x.created_at >= ?2 AND x.created_at < ?3`, o.by.UserID, o.from, until)
		if err != nil {
			return false, err
		}
		slices.Sort(times)
		o.times = times
	}
	for len(o.times) > 0 && o.times[len(o.times)-1] > at {
		o.times = o.times[:len(o.times)-1]
	}
	return len(o.times) > 0 && o.times[len(o.times)-1] == at, nil
}

// end reports whether no older message is the viewer's.
func (o *ownTimes) end() bool { return len(o.times) == 0 && o.from <= o.oldest }

// matchMessages returns what the index is asked for; "" is all messages.
func (r *Reader) matchMessages(by Viewer, q *Search) (string, error) {
	ids := q.Conversations
	if ids == nil {
		var err error
		if ids, err = all[string](r, `SELECT m.conversation_id FROM member m WHERE `+visibleMembership("m", "?1")+` LIMIT ?2`, by.UserID,
			maxTags+1); err != nil {
			return "", err
		}
	}
	var parts []string
	for _, tags := range [][]string{mapped(ids, conversationTag), mapped(q.Senders, senderTag)} {
		if len(tags) > 0 && len(tags) <= maxTags {
			parts = append(parts, `tags : (`+strings.Join(tags, " OR ")+`)`)
		}
	}
	for _, kind := range q.Has {
		parts = append(parts, `tags : has`+kind)
	}
	if words := match(q.Terms); words != "" {
		parts = append(parts, `words : (`+words+`)`)
	}
	return strings.Join(parts, " AND "), nil
}

func mapped(ids []string, f func(string) string) (out []string) {
	for _, id := range ids {
		if ValidID(id) {
			out = append(out, f(id))
		}
	}
	return out
}

// searching collects the rows of a search, which come by their number downwards.
type searching[T any] struct {
	limit int
	finds func(*T) bool
	at    func(*T) int64
	found []T
	low   int64 // from here on all rows have been compared
}

// add compares the rows of a query, up to maxCompared.
func (s *searching[T]) add(r *Reader, query string, args ...any) error {
	return each(r, s.comparing(), query, args...)
}

// comparing returns what compares rows, up to maxCompared, until it reports false.
func (s *searching[T]) comparing() func(row *T) bool {
	n, found := 0, 0
	return func(row *T) bool {
		if s.finds(row) {
			s.found = append(s.found, *row)
			found++
		}
		if n++; n == maxCompared || found > s.limit {
			s.low = max(s.low, s.at(row))
			return false
		}
		return true
	}
}

// result returns the rows that were found, each once, and before which number the search
// continues; 0 at the end.
func (s *searching[T]) result() (found []T, next int64) {
	sort.Slice(s.found, func(i, j int) bool { return s.at(&s.found[i]) > s.at(&s.found[j]) })
	s.found = slices.CompactFunc(s.found, func(a, b T) bool { return s.at(&a) == s.at(&b) })
	next = s.low
	for n := range s.found {
		if at := s.at(&s.found[n]); at < s.low {
			return s.found[:n], next
		}
		if n == s.limit {
			return s.found[:n], s.at(&s.found[n-1])
		}
	}
	return s.found, next
}

// finds reports whether the message is what is searched for.
func (q *Search) finds(m *Message) bool {
	if m.Type != "text" || m.DeletedAt != 0 || q.Reacted && !m.Reacted {
		return false
	}
	if len(q.Senders) > 0 && !slices.Contains(q.Senders, m.SenderID) {
		return false
	}
	if q.Conversations != nil && !slices.Contains(q.Conversations, m.ConversationID) {
		return false
	}
	kinds := []string(nil)
	if len(q.Has) > 0 {
		kinds = m.has()
	}
	for _, kind := range q.Has {
		if !slices.Contains(kinds, kind) {
			return false
		}
	}
	return len(q.Terms) == 0 || allIn(q.Terms, m.words())
}

// allIn reports whether words have all terms.
func allIn(terms []Term, words string) bool {
	return !slices.ContainsFunc(terms, func(t Term) bool { return !t.in(words) })
}

// match returns what an index is asked for to find the terms; "" without one. Of a run
// without spaces the characters follow each other.
func match(terms []Term) string {
	var parts []string
	for _, t := range terms {
		if t.Phrase {
			parts = append(parts, `"`+strings.TrimSpace(spaced(t.Words))+`"`)
			continue
		}
		for word := range strings.FieldsSeq(t.Words) {
			part := `"` + strings.TrimSpace(spaced(word)) + `"`
			if isBeginning(word) {
				part += "*"
			}
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " AND ")
}

// in reports whether words, as Words returns them, have the term.
func (t Term) in(words string) bool {
	return !slices.ContainsFunc(t.parts(), func(part string) bool { return !strings.Contains(words, part) })
}

// parts returns the texts that words have which contain the term. At the ends of a
// phrase a run without spaces may be a part of a longer one.
func (t Term) parts() (parts []string) {
	fields := strings.Fields(t.Words)
	if !t.Phrase {
		for _, word := range fields {
			switch {
			case startsSpaceless(word):
				parts = append(parts, word)
			case isBeginning(word):
				parts = append(parts, " "+word)
			default:
				parts = append(parts, " "+word+" ")
			}
		}
		return parts
	}
	if len(fields) == 0 {
		return nil
	}
	phrase := t.Words
	if startsSpaceless(fields[0]) {
		phrase = phrase[1:]
	}
	if startsSpaceless(fields[len(fields)-1]) {
		phrase = phrase[:len(phrase)-1]
	}
	return []string{phrase}
}

// isBeginning reports whether a word that is searched for may be the beginning of another.
func isBeginning(word string) bool {
	return !startsSpaceless(word) && utf8.RuneCountInString(word) >= 3
}
