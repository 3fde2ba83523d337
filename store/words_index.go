package store

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// The tables message_word, list_word and item_word have the words of what a search finds.
// Triggers put each row that changes into word_queue, and KeepWords indexes what waits
// there. A search reads both, and compares the rows as they are now.

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

// words returns the words that the message is found by: of its text, the names of its
// files and its transcript.
func (m *Message) words() string {
	return Words(m.Content) + Words(strings.Join(m.FileNames(), "\n")) + Words(m.Transcript)
}

// words returns the words that the item is found by.
func (i *Item) words() string {
	return Words(i.Content) + Words(i.SourceNote) + Words(LinkKey(i.SourceURL))
}

// words returns the words that the list is found by.
func (l *List) words() string { return Words(l.Title) + Words(l.Description) }

// conversationTag and senderTag are tokens of messages in message_word, as are "has" and a
// kind of content.
func conversationTag(id string) string { return "in" + strings.ReplaceAll(id, "-", "") }

func senderTag(id string) string { return "from" + strings.ReplaceAll(id, "-", "") }

func (m *Message) tags() string {
	tags := []string{conversationTag(m.ConversationID), senderTag(m.SenderID)}
	for _, kind := range m.has() {
		tags = append(tags, "has"+kind)
	}
	return strings.Join(tags, " ")
}

// queuedWords is a row of word_queue.
type queuedWords struct {
	Noun           string
	ID             int64
	ConversationID string
}

const (
	indexedAtOnce = 100                   // rows
	indexTime     = 20 * time.Millisecond // of one write, for which others wait
)

// IndexWords indexes some of what waits, and reports whether there was something.
func (tx *Tx) IndexWords() (was bool, err error) {
	queue, err := all[queuedWords](&tx.Reader, `SELECT noun, id, conversation_id FROM word_queue ORDER BY noun DESC, id DESC LIMIT ?
		/* server: the index itself */ /* scan: a few rows */`, indexedAtOnce)
	for start := time.Now(); len(queue) > 0 && time.Since(start) < indexTime && err == nil; queue = queue[1:] {
		was, err = true, tx.indexRow(queue[0])
	}
	return was, err
}

// indexRow indexes a row of the queue as it is now.
func (tx *Tx) indexRow(q queuedWords) error {
	words, tags, err := tx.wordsOf(q)
	if err != nil && !errors.Is(err, ErrNoRow) {
		return err
	}
	index, row := q.Noun+"_word", []any{q.ID}
	steps := []statement{{`DELETE FROM ` + index + ` WHERE rowid = ? /* server: the index itself */ /* scan: one row */`, row}}
	switch {
	case err != nil:
	case q.Noun == "message":
		steps = append(steps, statement{`INSERT INTO message_word (rowid, conversation_id, words, tags) VALUES (?, ?, ?, ?)`,
			append(row, q.ConversationID, spaced(words), tags)})
	default:
		steps = append(steps, statement{`INSERT INTO ` + index + ` (rowid, words) VALUES (?, ?)`, append(row, spaced(words))})
	}
	return tx.execAll(append(steps, statement{`DELETE FROM word_queue WHERE noun = ? AND id = ?`, []any{q.Noun, q.ID}})...)
}

// wordsOf reads the words of a row of the queue; ErrNoRow if it is not found by a search.
func (tx *Tx) wordsOf(q queuedWords) (words, tags string, err error) {
	switch q.Noun {
	case "message":
		m, err := one[Message](&tx.Reader, `SELECT `+messageColumns+` FROM message x
			WHERE x.conversation_id = ? AND x.created_at = ? AND x.message_type = 'text' AND `+liveMessage("x")+`
			/* server: the index itself */`, q.ConversationID, q.ID)
		return m.words(), m.tags(), err
	case "list":
		var l List
		err = tx.value([]any{&l.Title, &l.Description},
			`SELECT l.title, l.description FROM list l WHERE l.seq = ? /* server: the index itself */`, q.ID)
		return l.words(), "", err
	default:
		var i Item
		err = tx.value([]any{&i.Content, &i.SourceNote, &i.SourceURL},
			`SELECT i.content, i.source_note, i.source_url FROM item i WHERE i.seq = ? /* server: the index itself */`, q.ID)
		return i.words(), "", err
	}
}

const (
	indexPause   = 500 * time.Millisecond // after writes, so that one look at the queue is for many
	indexRetry   = 10 * time.Second       // after an error
	stepsAtOnce  = 16                     // before the next look at the queue
	manyRemoved  = 1000                   // messages, after which the index is compacted
	compactPages = 100                    // written by one step
)

// KeepWords indexes what waits in word_queue until ctx ends, in small writes. While others
// write it pauses four times as long as these take, which leaves most of the writer to them.
func (db *DB) KeepWords(ctx context.Context, log *slog.Logger) {
	for {
		wait := indexPause
		err := db.IndexAll(ctx)
		switch {
		case errors.Is(err, ErrClosed) || errors.Is(err, ErrDead):
			return
		case err != nil && ctx.Err() == nil:
			log.Warn("the index of words could not be written", "error", err)
			wait = indexRetry
		}
		if !pause(ctx, wait) {
			return
		}
		if err == nil {
			select {
			case <-db.written:
			case <-ctx.Done():
				return
			}
		}
	}
}

// pause waits, and reports false if ctx ends.
func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// IndexAll indexes all that waits, in small writes.
func (db *DB) IndexAll(ctx context.Context) error {
	for {
		var waits, many bool
		err := db.Read(ctx, func(r *Reader) error {
			return r.value([]any{&waits, &many}, `SELECT EXISTS (SELECT 1 FROM word_queue),
				(SELECT v = 0 FROM message_word_config WHERE k = 'secure-delete') OR ? <= (SELECT count(*) FROM message_word w WHERE w.rowid IN (
					SELECT id FROM word_queue WHERE noun = 'message' ORDER BY id DESC LIMIT ?))
				/* scan: some rows */ /* server: the index itself */`, manyRemoved, 2*manyRemoved)
		})
		switch {
		case err == nil && many:
			err = db.removeMany(ctx)
		case err == nil && waits:
			err = db.indexSteps(ctx, stepsAtOnce, (*Tx).IndexWords)
		default:
			return err
		}
		if err != nil {
			return err
		}
	}
}

// removeMany indexes what waits if much of it is removed. The index takes milliseconds to overwrite the words of
// a text, so these are only marked as deleted, and leave the file when the index is compacted.
func (db *DB) removeMany(ctx context.Context) error {
	err := db.overwriteWords(ctx, false)
	if err == nil {
		err = db.indexSteps(ctx, math.MaxInt, (*Tx).IndexWords)
	}
	if err == nil {
		err = db.indexSteps(ctx, math.MaxInt, (*Tx).compactWords)
	}
	if err == nil {
		err = db.overwriteWords(ctx, true)
	}
	return err
}

// overwriteWords sets whether the index overwrites the words of a text that is deleted.
func (db *DB) overwriteWords(ctx context.Context, on bool) error {
	return db.Write(ctx, func(tx *Tx) error {
		return tx.exec(`INSERT INTO message_word (message_word, rank) VALUES ('secure-delete', ?) /* server: the index itself */`, on)
	})
}

// compactWords merges some pages of the index, and reports whether there is more to merge.
func (tx *Tx) compactWords() (more bool, err error) {
	changed := tx.e.TotalChanges()
	err = tx.exec(`INSERT INTO message_word (message_word, rank) VALUES ('merge', ?) /* server: the index itself */`, -compactPages)
	return tx.e.TotalChanges() >= changed+2, err
}

// indexSteps runs up to n writes, until one of them has nothing to do.
func (db *DB) indexSteps(ctx context.Context, n int, step func(tx *Tx) (more bool, err error)) error {
	for more := true; more && n > 0; n-- {
		var busy bool
		var start time.Time
		err := db.Write(ctx, func(tx *Tx) (err error) {
			start = time.Now()
			more, err = step(tx)
			busy = db.Queued() > 0
			return err
		})
		if err != nil {
			return err
		}
		if busy && !pause(ctx, 4*time.Since(start)) {
			return ctx.Err()
		}
	}
	return nil
}
