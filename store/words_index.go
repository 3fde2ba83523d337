package store

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// The table message_word has a document for each text message that is not
// deleted, with the tokens of its words and of what else it is found by. The
// index is contentless: to delete a document takes exactly its tokens. Ids of
// documents are in the order of the messages' times, so that the newest matches
// come first and moments bound a search.

// idEpoch is the time of the document id 0, 2020-01-01.
const idEpoch Time = 1577836800_000000

// slotBits is how many bits of a document's id say which conversations it can
// be of. 51 bits are left for the time, which last until 2091.
const slotBits = 12

// documentID returns the id of the document of a message. It is made of the
// message's time, which is unique in the file, and the slot of its conversation.
func documentID(conversationID string, at Time) int64 {
	return firstDocument(at) | int64(slotOf(conversationID))
}

// firstDocument returns the lowest id of a document of a message of that moment.
func firstDocument(at Time) int64 { return int64(at-idEpoch) << slotBits }

// documentTime returns when the message of a document was sent.
func documentTime(id int64) Time { return Time(id>>slotBits) + idEpoch }

// slot is the part of a document's id that says which conversations it can be
// of; several share one.
type slot uint16

func slotOfDocument(id int64) slot { return slot(id & (1<<slotBits - 1)) }

func slotOf(conversationID string) slot {
	h := fnv.New32a()
	h.Write([]byte(conversationID))
	sum := h.Sum32()
	return slot((sum ^ sum>>slotBits) & (1<<slotBits - 1))
}

// Tokens of documents that are not words begin with a character that no word
// has.
const (
	propertyToken = "\ue000"
	anyToken      = propertyToken + "any"  // every document has it
	senderToken   = propertyToken + "from" // and the start of the sender's id
	hasToken      = propertyToken + "has"  // and a kind of content
)

// fromToken returns the token of the messages of a sender, and, rarely, of
// another with a similar id.
func fromToken(userID string) string {
	return senderToken + strings.ReplaceAll(userID[:min(13, len(userID))], "-", "")
}

// Kinds of content that messages are found by.
const (
	HasLink  = "link"
	HasFile  = "file"
	HasImage = "image"
	HasAudio = "audio"
	HasVideo = "video"
)

// has returns the kinds of content of the message.
func (m *Message) has() (kinds []string) {
	if strings.Contains(m.Content, "https://") || strings.Contains(m.Content, "http://") {
		kinds = append(kinds, HasLink)
	}
	for _, f := range m.files() {
		kinds = append(kinds, HasFile)
		switch kind, _, _ := strings.Cut(f.MimeType, "/"); kind {
		case HasImage, HasAudio, HasVideo:
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// file is what a search reads of an attachment.
type file struct {
	Name     string `json:"name"`
	MimeType string `json:"mimeType"`
}

func (m *Message) files() (files []file) {
	if m.Attachments == "" || json.Unmarshal([]byte(m.Attachments), &files) != nil {
		return nil
	}
	return files
}

// FileNames returns the names of the files of m.
func (m *Message) FileNames() (names []string) {
	for _, f := range m.files() {
		names = append(names, f.Name)
	}
	return names
}

// words returns the words that the message is found by: of its text, the names
// of its files and its transcript. A phrase does not continue from one to
// another.
func (m *Message) words() string {
	w := Words(m.Content)
	for _, name := range m.FileNames() {
		w += Words(name)
	}
	if m.Transcript != "" {
		w += Words(m.Transcript)
	}
	return w
}

// PreparedText is a text with the tokens that the index has of its words, which are better
// computed before a write than within it.
type PreparedText struct {
	text   string
	tokens []string // each once and sorted
}

// PrepareText prepares a text.
func PrepareText(text string) *PreparedText {
	var set tokenSet
	tokens(Words(text), set.add)
	return &PreparedText{text, set.sorted()}
}

// Prepare does what Send needs of the message's Content and is better done before
// the write than within it. It is optional.
func (m *Message) Prepare() { m.prepared = PrepareText(m.Content) }

// UsePrepared has the message use a text that was prepared before, if that is its content.
func (m *Message) UsePrepared(p *PreparedText) { m.prepared = p }

// documentTokens returns the tokens of the message's document, each once and
// sorted.
func (m *Message) documentTokens() []string {
	p := m.prepared
	if p == nil || p.text != m.Content {
		p = PrepareText(m.Content)
	}
	more := []string{anyToken, fromToken(m.SenderID)}
	for _, kind := range m.has() {
		more = append(more, hasToken+kind)
	}
	slices.Sort(more)
	out := union(p.tokens, slices.Compact(more))
	if m.Attachments == "" && m.Transcript == "" {
		return out
	}
	var others tokenSet
	for _, f := range m.files() {
		tokens(Words(f.Name), others.add)
	}
	tokens(Words(m.Transcript), others.add)
	return union(out, others.sorted())
}

// Document returns the id and the tokens that the message has in the index while
// it is not deleted.
func Document(m *Message) (id int64, tokens []string) {
	return documentID(m.ConversationID, m.CreatedAt), m.documentTokens()
}

// wordChange is a change of a document that is written at the end of its group.
type wordChange struct {
	id          int64
	old, tokens []string // before and after the change; nil is no document
	mark        bool     // as removed, instead of removing it at once
}

// size returns about how many bytes the change writes to the index.
func (c wordChange) size() int {
	return len(c.old) + len(c.tokens) + bytesOf(c.old, c.tokens)
}

// indexMessage changes the document of a message from what it was before to what
// it is after the change, of which either may be nil. The message must be read
// in this write, with its content as it is stored.
func (tx *Tx) indexMessage(before, after *Message) error {
	return tx.changeDocument(before, after, false)
}

func (tx *Tx) changeDocument(before, after *Message, mark bool) error {
	m := cmp.Or(after, before)
	if m.Type != "text" {
		return nil
	}
	c := wordChange{id: documentID(m.ConversationID, m.CreatedAt), mark: mark}
	if before != nil {
		position, err := tx.wordsPosition()
		if err != nil || position.waits(m) {
			return err
		}
		c.old = before.documentTokens()
	}
	if after != nil {
		c.tokens = after.documentTokens()
		tx.countTokens(c.old, c.tokens)
	}
	tx.later(c)
	return nil
}

// writeWords writes changes of documents, several of one document as one, in
// the order of their ids: the index keeps what it is given in memory as long as
// the ids grow.
func (tx *Tx) writeWords(changes []wordChange) error {
	if len(changes) == 0 {
		return nil
	}
	slices.SortStableFunc(changes, func(a, b wordChange) int { return cmp.Compare(a.id, b.id) })
	changes = oneEach(changes)
	if err := tx.takeLong(changes); err != nil {
		return err
	}
	w, err := tx.waiting()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(changes, func(c wordChange) bool { return c.old != nil }) { // perhaps of a document that waits
		if err := tx.indexShort(w); err != nil {
			return err
		}
		w.short, w.bytes = 0, 0
	}
	if changes, err = tx.delayLong(changes, w); err != nil || len(changes) == 0 {
		return err
	}
	if wait, err := tx.delayShort(changes, w); err != nil || wait {
		return err
	}
	return tx.writeDocuments(messageWords, changes)
}

// oneEach returns changes, which are in the order of their ids, with those of one
// document as one.
func oneEach(changes []wordChange) (out []wordChange) {
	for _, c := range changes {
		if n := len(out) - 1; n >= 0 && out[n].id == c.id {
			out[n].tokens, out[n].mark = c.tokens, c.mark
		} else {
			out = append(out, c)
		}
	}
	return out
}

// reduce leaves the tokens that stay out of a change: they are not written again.
func (c *wordChange) reduce() {
	if c.old != nil && c.tokens != nil {
		if c.old, c.tokens = without(c.old, c.tokens), without(c.tokens, c.old); len(c.old) == 0 && len(c.tokens) == 0 {
			c.old, c.tokens = nil, nil
		}
	}
}

// writeDocument writes a change of a document of an index.
func (tx *Tx) writeDocument(index string, c wordChange) error {
	old, tokens := c.old, c.tokens
	// Both halves of a change are written, even without tokens: the index counts
	// its documents.
	if old != nil {
		if _, err := tx.exec(`INSERT INTO `+index+` (`+index+`, rowid, words) VALUES ('delete', ?, ?) /* server: the document is deleted */`, c.id, strings.Join(old, " ")); err != nil {
			return err
		}
	}
	if tokens != nil {
		if _, err := tx.exec(`INSERT INTO `+index+` (rowid, words) VALUES (?, ?)`, c.id, strings.Join(tokens, " ")); err != nil {
			return err
		}
	}
	return nil
}

// wordsPosition is how far the messages are in the index that were sent before
// the file had one: those up to until, in the order of their conversation and
// time. The zero value waits for none.
type wordsPosition struct {
	until          Time
	conversationID string // the last one indexed; "-" is before all
	at             Time
}

// wordsSetting has the position while messages wait.
const wordsSetting = "words_position"

// waits reports whether the message has no document yet.
func (p wordsPosition) waits(m *Message) bool {
	return m.CreatedAt <= p.until &&
		cmp.Or(cmp.Compare(m.ConversationID, p.conversationID), cmp.Compare(m.CreatedAt, p.at)) > 0
}

func (r *Reader) wordsPosition() (p wordsPosition, err error) {
	text, err := r.Setting(wordsSetting)
	if err != nil || text == "" {
		return p, err
	}
	if _, err = fmt.Sscan(text, (*int64)(&p.until), &p.conversationID, (*int64)(&p.at)); err != nil {
		err = fmt.Errorf("store: the setting %s is %q: %w", wordsSetting, text, err)
	}
	return p, err
}

func (p wordsPosition) String() string {
	return fmt.Sprint(int64(p.until), " ", p.conversationID, " ", int64(p.at))
}

// IndexOlder adds up to limit messages to the index that were sent before the
// file had one, and reports whether all are in it.
func (tx *Tx) IndexOlder(limit int) (done bool, err error) {
	p, err := tx.wordsPosition()
	if err != nil || p.until == 0 {
		return true, err
	}
	rows, more, err := tx.storedMessages(`WHERE (x.conversation_id, x.created_at) > (?1, ?2) AND x.created_at <= ?3
		ORDER BY x.conversation_id, x.created_at LIMIT ?4`,
		p.conversationID, int64(p.at), int64(p.until), limit)
	if err != nil {
		return false, err
	}
	for i := range rows {
		m := &rows[i]
		if m.DeletedAt == 0 {
			if err := tx.indexMessage(nil, m); err != nil {
				return false, err
			}
		}
		p.conversationID, p.at = m.ConversationID, m.CreatedAt
	}
	if done = len(rows) < limit && !more; done {
		return true, tx.SetSetting(wordsSetting, "")
	}
	return false, tx.SetSetting(wordsSetting, p.String())
}

// MergeWords merges parts of the index by writing about as many pages, so that a
// search reads few parts. Writes leave it to be done in quiet moments.
func (tx *Tx) MergeWords(pages int) error { return tx.mergeWords(messageWords, pages) }

func (tx *Tx) mergeWords(index wordIndex, pages int) error {
	_, err := tx.exec(`INSERT INTO `+index.table+` (`+index.table+`, rank) VALUES ('merge', ?) /* server: the index itself */`, pages)
	return err
}
