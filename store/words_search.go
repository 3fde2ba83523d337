package store

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Search is what messages are searched for. All that is set must hold.
type Search struct {
	Terms         []Term
	Senders       []string // ids of accounts, of which one sent it
	Conversations []string // ids, of which one contains it; nil is all
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

// maxQueryWords is how many words a search has at most. One character that is
// typed can become several words when it is compared.
const maxQueryWords = 50

// AddTerm adds a text that a person typed to the terms of a search. Words that
// are there already are not repeated, and those after the first 50 are left out.
func AddTerm(terms []Term, text string, phrase bool) []Term {
	left := maxQueryWords
	seen := map[string]bool{}
	for _, t := range terms {
		for word := range strings.FieldsSeq(t.Words) {
			left--
			seen[word] = seen[word] || !t.Phrase
		}
	}
	var words []string
	for word := range strings.FieldsSeq(Words(text)) {
		if len(words) < left && (phrase || !seen[word]) {
			words, seen[word] = append(words, word), true
		}
	}
	t := Term{Words: " " + strings.Join(words, " ") + " ", Phrase: phrase}
	if len(words) == 0 || slices.Contains(terms, t) {
		return terms
	}
	return append(terms, t)
}

// Searched is a part of the result of a search.
type Searched struct {
	Messages []Message // the newest first
	// Next continues the search: its Until in the next one. It is 0 if there is
	// nothing more. A part may have few messages, or none, although there are
	// more.
	Next Time
}

// The work of a search is counted in reads of one entry of the index, of which a
// small machine does three in a microsecond.
const (
	messageCost  = 40   // of reading a message
	scanCost     = 15   // of comparing one of many that are read together
	pageCost     = 100  // of reading a page of the index
	textCost     = 25   // bytes of text compared for the cost of one entry
	scanned      = 1000 // messages that are compared without the index
	partMessages = 500  // about how many of the scope a part covers
	crowded      = 2000 // and at most how many of one conversation
)

// partText is how many bytes of text a part compares without the index, until it
// ends behind a message.
const partText = 1 << 20

// SearchMessages returns up to limit messages that by may see, from before
// q.Until, the newest first.
//
// The index holds all messages of the server in one order. A search walks the
// entries that have all tokens of q, skips those of other conversations without
// reading them, and compares what is left with the text. Where the viewer can
// see only a few messages these are compared without the index, and also those
// that are left of a part once reading the index has cost as much.
//
// How far a part goes back depends on the conversations of the viewer alone, so
// that the result tells nothing of messages that they may not see.
func (r *Reader) SearchMessages(by Viewer, q Search, limit int) (Searched, error) {
	s := searching{r: r, by: by, q: q, limit: limit}
	err := s.readScope()
	if err != nil || s.total == 0 {
		return Searched{}, err
	}
	next, err := s.limitPeriod()
	if err != nil {
		return Searched{}, err
	}
	s.budget = min(s.total, partMessages) * scanCost
	if s.total <= scanned {
		err = s.scan()
	} else {
		err = s.walk()
	}
	if s.stopped != 0 {
		next = s.stopped
	}
	if len(s.found) > limit {
		s.found, next = s.found[:limit], s.found[limit-1].CreatedAt
	}
	return Searched{Messages: s.found, Next: next}, err
}

// searching is a search under way.
type searching struct {
	r      *Reader
	by     Viewer
	q      Search
	limit  int
	budget int

	scope          []string   // the conversations searched
	large          []string   // those of them with more than crowded messages
	total          int        // how many messages they have
	oldest, newest Time       // and between which moments
	slots          [][]string // the same by their slots

	lead    string // the token whose entries are read
	all     string // asks the index for entries with all tokens; "" is never better
	allCost int    // for each entry of the lead

	unindexed []int64 // ids of documents that are not in the index, and not compared yet
	found     []Message
	stopped   Time // where the text was too much; 0 if it was not
}

// readScope reads the conversations to search.
func (s *searching) readScope() error {
	type row struct {
		id              string
		messages        int
		created, newest Time
	}
	scan := func(sc scanner) (c row, err error) {
		err = sc.Scan(&c.id, &c.messages, &c.created, &c.newest)
		return c, err
	}
	const columns = `SELECT c.id, c.live_count, c.created_at, coalesce(c.last_message_at, 0)`
	var rows []row
	var err error
	if s.q.Conversations == nil {
		rows, err = all(s.r, scan, columns+` FROM member m JOIN conversation c ON c.id = m.conversation_id
			WHERE `+visibleMembership("m", "?1"), s.by.UserID)
	} else {
		rows, err = all(s.r, scan, columns+` FROM json_each(?2) j JOIN member m ON m.conversation_id = j.value
			JOIN conversation c ON c.id = m.conversation_id WHERE `+visibleMembership("m", "?1"), s.by.UserID, jsonList(slices.Compact(slices.Sorted(slices.Values(s.q.Conversations)))))
	}
	s.oldest = math.MaxInt64
	for _, c := range rows {
		s.scope = append(s.scope, c.id)
		if c.messages > crowded {
			s.large = append(s.large, c.id)
		}
		s.total += c.messages
		s.oldest, s.newest = min(s.oldest, c.created), max(s.newest, c.newest)
	}
	return err
}

// limitPeriod has q end where the scope has about partMessages messages if they
// are spread evenly, or earlier where a conversation has crowded messages, and
// returns that moment, or 0 if q ends before.
func (s *searching) limitPeriod() (next Time, err error) {
	if s.total <= partMessages {
		return 0, nil
	}
	period := max(Time(float64(s.newest-s.oldest)*partMessages/float64(s.total)), 1)
	end := s.newest + 1
	if s.q.Until != 0 {
		end = min(end, s.q.Until)
	}
	if end-period > max(s.oldest, s.q.From) {
		next = end - period
	}
	if len(s.large) > 0 {
		at, err := s.crowd(max(next, s.q.From))
		if err != nil {
			return 0, err
		}
		next = max(next, at)
	}
	if next != 0 {
		s.q.From = next
	}
	return next, nil
}

// crowd returns the latest moment after another where a large conversation has had
// crowded messages before the end of q; 0 without one. Deleted messages count.
func (s *searching) crowd(after Time) (at Time, err error) {
	err = s.r.value([]any{&at}, `SELECT coalesce(max((SELECT x.created_at FROM message x WHERE x.conversation_id = j.value AND x.created_at > ?2 AND x.created_at < ?3
		ORDER BY x.created_at DESC LIMIT 1 OFFSET ?5)), 0) FROM json_each(?1) j WHERE `+visibleConversation("j.value", "?4"),
		jsonList(s.large), int64(after), orEnd(s.q.Until), s.by.UserID, crowded-1)
	return at, err
}

// scannedMessages are those of the scope in the period of q.
const scannedMessages = ` FROM json_each(?1) j JOIN message x ON x.conversation_id = j.value
	WHERE x.created_at >= ?2 AND x.created_at < ?3 AND `

// scan compares the messages of the scope: all, or the newest if they have much
// text.
func (s *searching) scan() error {
	ms, much, err := s.candidates(partText)
	if much && err == nil {
		err = s.r.value([]any{&s.stopped}, `SELECT coalesce(max(at) + 1, 0) FROM (
			SELECT x.created_at AS at, sum(octet_length(x.content) + coalesce(octet_length(x.transcript), 0))
				OVER (ORDER BY x.created_at DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newer`+scannedMessages+liveMessage("x")+` AND `+visibleConversation("j.value", "?4")+`)
		WHERE newer > ?5`, jsonList(s.scope), int64(s.q.From), orEnd(s.q.Until), s.by.UserID, partText)
		if err != nil {
			return err
		}
		s.q.From = max(s.q.From, s.stopped)
		ms, _, err = s.candidates(math.MaxInt)
	}
	if err != nil {
		return err
	}
	defer FreeMessages(ms)
	slices.SortFunc(ms, func(a, b Message) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	left := partText
	for i := range ms {
		m := &ms[i]
		if left < 0 || len(s.found) > s.limit {
			s.stopped = ms[i-1].CreatedAt
			break
		}
		ok, compared := s.q.inText(m)
		if left -= compared; ok {
			s.found = append(s.found, *m)
		}
	}
	return nil
}

// candidates reads the messages of the scope that can be searched for, whatever
// their text. It reports instead whether the scope has more text than that.
func (s *searching) candidates(most int) (out []Message, much bool, err error) {
	rows, err := s.r.c.query(`SELECT x.conversation_id, `+messageColumns+scannedMessages+liveMessage("x")+` AND `+visibleConversation("j.value", "?4"),
		jsonList(s.scope), int64(s.q.From), orEnd(s.q.Until), s.by.UserID)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	rows.ShareText()
	var m Message
	dest := append([]any{&m.ConversationID}, m.dest()...)
	out = rowsFor(128)
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return nil, false, err
		}
		m.typed()
		if most -= len(m.Content) + len(m.Transcript); most < 0 && len(s.q.Terms) > 0 {
			return nil, true, nil
		}
		if s.q.butText(&m) {
			out = append(out, m)
		}
	}
	return out, false, s.r.c.failed(rows.Err())
}

// walk compares the messages of the scope that the index gives. It reads the
// entries of the rarest token in blocks: the index would not stop looking for
// entries with all of them.
func (s *searching) walk() error {
	s.fillSlots()
	first, end := s.q.first(), s.q.end()
	var err error
	if s.unindexed, err = s.r.unindexed(first, end); err != nil {
		return err
	}
	if err := s.choose(s.q.match(), first, end); err != nil {
		return err
	}
	for size := firstBlock; ; size = lastBlock {
		ids, low, err := s.block(first, end, size)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := s.read(s.slots[slotOfDocument(id)], documentTime(id)); err != nil || len(s.found) > s.limit {
				return err
			}
			if s.budget <= 0 {
				return s.scanBefore(id)
			}
		}
		if low == first {
			return nil
		}
		if end = low; s.budget <= 0 {
			return s.scanBefore(low)
		}
	}
}

// scanBefore compares the messages from before that of a document.
func (s *searching) scanBefore(id int64) error {
	s.q.Until = documentTime(id)
	return s.scan()
}

func (s *searching) fillSlots() {
	s.slots = make([][]string, 1<<slotBits)
	for _, id := range s.scope {
		s.slots[slotOf(id)] = append(s.slots[slotOf(id)], id)
	}
}

// How many entries of the index are read at once: few for words that many
// messages have.
const (
	firstBlock = 256
	lastBlock  = 2048
)

// sample is how many entries of each token are read to compare how frequent they
// are.
const sample = 64

// choose sets the lead, which is the token of which the newest entries go back
// furthest, and what it costs for each of its entries to ask the index for those
// that have the other tokens, too.
func (s *searching) choose(match []string, first, end int64) error {
	s.lead = match[0]
	if len(match) == 1 {
		return nil
	}
	var newest int64
	lows := make([]int64, len(match))
	for i, t := range match {
		ids, err := s.r.entries(t, first, end, sample)
		if err != nil {
			return err
		}
		s.budget -= len(ids)
		if len(ids) < sample {
			s.lead = t // all of its entries are compared
			return nil
		}
		newest, lows[i] = max(newest, ids[0]), ids[sample-1]
	}
	lead := slices.Index(lows, slices.Min(lows))
	s.lead, s.all = match[lead], strings.Join(match, " AND ")
	for i, low := range lows {
		if i != lead {
			// Of a frequent token, the index reads about a page for each entry of
			// the lead, and else the entries in between.
			between := float64(newest-lows[lead]+1) / float64(newest-low+1)
			s.allCost += int(min(between/2+1, pageCost))
		}
	}
	return nil
}

// block returns the ids of the newest documents in slots of the scope, of those
// before end that can match, and the lowest id that was looked at, which is first
// once there are no more.
func (s *searching) block(first, end int64, size int) (ids []int64, low int64, err error) {
	ids, err = s.r.entries(s.lead, first, end, size)
	if err != nil {
		return nil, 0, err
	}
	n := len(ids)
	s.budget -= n
	if low = first; n == size {
		low = ids[n-1]
	}
	foreign := func(id int64) bool { return s.slots[slotOfDocument(id)] == nil }
	ids = slices.DeleteFunc(ids, foreign)
	if s.all != "" && n*s.allCost < len(ids)*messageCost {
		s.budget -= n * s.allCost
		if ids, err = s.r.entries(s.all, low, end, size); err != nil {
			return nil, 0, err
		}
	}
	for ; len(s.unindexed) > 0 && s.unindexed[0] >= low; s.unindexed = s.unindexed[1:] {
		ids = append(ids, s.unindexed[0])
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return slices.DeleteFunc(slices.Compact(ids), foreign), low, nil // some may have been added meanwhile
}

// unindexed returns the ids of the documents that are not in the index yet, of
// those from first on and before end, the newest first.
func (r *Reader) unindexed(first, end int64) ([]int64, error) {
	return all(r, scanOne[int64], `SELECT id FROM message_unindexed WHERE id >= ?1 AND id < ?2 ORDER BY id DESC
		/* server: moments, of which only those are read further that the viewer may see */`, first, end)
}

// entries returns the ids of the newest entries of the index that match, from
// first on and before end, the newest first.
func (r *Reader) entries(match string, first, end int64, limit int) ([]int64, error) {
	rows, err := r.c.query(`SELECT rowid FROM message_word WHERE message_word MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4
		/* scan: a bounded number of entries of the index */ /* server: moments, of which only those are read further that the viewer may see */`,
		match, first, end, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	ids := make([]int64, 0, min(limit, firstBlock))
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, r.c.failed(rows.Err())
}

// read reads the message of one of the conversations that was sent at a moment,
// if there is one, and compares it.
func (s *searching) read(conversationIDs []string, at Time) error {
	for _, id := range conversationIDs {
		s.budget -= messageCost
		ms, err := s.r.messages(id, 1, `SELECT `+messageColumns+` FROM message x
			WHERE x.conversation_id = ?1 AND x.created_at = ?2 AND `+liveMessage("x")+` AND `+visibleConversation("?1", "?3"),
			id, int64(at), s.by.UserID)
		if err != nil {
			return err
		}
		for i := range ms {
			ok, compared := s.q.butText(&ms[i]), 0
			if ok {
				ok, compared = s.q.inText(&ms[i])
			}
			if s.budget -= max(compared, len(ms[i].Content)+len(ms[i].Transcript)) / textCost; ok {
				s.found = append(s.found, ms[i])
			}
		}
	}
	return nil
}

// first and end are the bounds of the ids of documents.
func (q *Search) first() int64 {
	if q.From == 0 {
		return math.MinInt64
	}
	return firstDocument(q.From)
}

func (q *Search) end() int64 {
	if q.Until == 0 {
		return math.MaxInt64
	}
	return firstDocument(q.Until)
}

// maxTokens is how many tokens the index is asked for at most.
const maxTokens = 16

// maxSenders is for how many accounts, of which any may be the sender, the index is
// asked: each is looked up again for each block of entries. Those of more are compared
// with the messages alone.
const maxSenders = 2 * maxNamed

// match returns the queries of the index which the documents match that can be
// what is searched for.
func (q *Search) match() (all []string) {
	add := func(t string) {
		if t = `"` + t + `"`; len(all) < maxTokens && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	if ids := slices.Compact(slices.Sorted(slices.Values(q.Senders))); len(ids) > 0 && len(ids) <= maxSenders {
		all = append(all, senders(ids))
	}
	for _, kind := range q.Has {
		add(hasToken + kind)
	}
	for _, t := range q.Terms {
		queryTokens(t.Words, add)
	}
	if len(all) == 0 {
		add(anyToken)
	}
	return all
}

func senders(ids []string) string {
	tokens := make([]string, len(ids))
	for i, id := range ids {
		tokens[i] = `"` + fromToken(id) + `"`
	}
	return "(" + strings.Join(tokens, " OR ") + ")"
}

// butText reports whether the message is one that can be searched for, whatever
// its text, of those in the conversations of q.
func (q *Search) butText(m *Message) bool {
	if m.Type != "text" || m.DeletedAt != 0 || q.Reacted && !m.Reacted ||
		len(q.Senders) > 0 && !slices.Contains(q.Senders, m.SenderID) {
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
	return true
}

// inText reports whether the message has the terms, and how many bytes were
// compared: one character can become dozens of them.
func (q *Search) inText(m *Message) (ok bool, compared int) {
	if len(q.Terms) == 0 {
		return true, 0
	}
	words := m.words()
	compared = max(len(words), len(m.Content)+len(m.Transcript))
	for _, t := range q.Terms {
		if !t.in(words) {
			return false, compared
		}
	}
	return true, compared
}

// in reports whether words, as Words returns them, have the term.
func (t Term) in(words string) bool {
	if t.Phrase {
		return strings.Contains(words, t.phrase())
	}
	for word := range strings.FieldsSeq(t.Words) {
		if !strings.Contains(words, sought(word)) {
			return false
		}
	}
	return true
}

// phrase returns the text that words have which contain the term as a phrase.
// At its ends a run without spaces may be a part of a longer one.
func (t Term) phrase() string {
	p := t.Words
	fields := strings.Fields(p)
	if len(fields) == 0 {
		return ""
	}
	if startsSpaceless(fields[0]) {
		p = p[1:]
	}
	if startsSpaceless(fields[len(fields)-1]) {
		p = p[:len(p)-1]
	}
	return p
}

// sought returns the text that words have which contain the word.
func sought(word string) string {
	switch {
	case startsSpaceless(word):
		return word
	case runes(word) < 3:
		return " " + word + " "
	}
	return " " + word
}
