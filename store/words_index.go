package store

import (
	"context"
	"errors"
	"log/slog"
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
	noun, conversationID string
	id                   int64
}

// How much one write indexes, so that others wait for it a few milliseconds. To remove a
// text takes ten times as long as to add it.
const (
	indexedAtOnce     = 200
	indexedTextAtOnce = 32 << 10
	removalCost       = 10
)

// IndexWords indexes some of what waits, and reports whether there was something.
func (tx *Tx) IndexWords() (was bool, err error) {
	queue, err := all(&tx.Reader, func(s scanner) (q queuedWords, err error) {
		err = s.Scan(&q.noun, &q.id, &q.conversationID)
		return q, err
	}, `SELECT noun, id, conversation_id FROM word_queue ORDER BY noun DESC, id LIMIT ? /* server: the index itself */ /* scan: a few rows */`, indexedAtOnce)
	done, text := 0, 0
	for _, q := range queue {
		if done >= indexedAtOnce || text >= indexedTextAtOnce {
			break
		}
		removed, size, e := tx.indexRow(q)
		if e != nil {
			return false, e
		}
		done, text = done+1+removalCost*int(removed), text+size*(1+removalCost*int(removed))
	}
	return len(queue) > 0, err
}

// indexRow indexes a row of the queue as it is now.
func (tx *Tx) indexRow(q queuedWords) (removed int64, size int, err error) {
	if removed, err = tx.exec(`DELETE FROM `+q.noun+`_word WHERE rowid = ? /* server: the index itself */ /* scan: one row */`, q.id); err != nil {
		return 0, 0, err
	}
	words, tags, err := tx.wordsOf(q)
	switch {
	case errors.Is(err, ErrNoRow):
		err = nil
	case err != nil:
	case q.noun == "message":
		_, err = tx.exec(`INSERT INTO message_word (rowid, conversation_id, words, tags) VALUES (?, ?, ?, ?)`, q.id, q.conversationID, spaced(words), tags)
	default:
		_, err = tx.exec(`INSERT INTO `+q.noun+`_word (rowid, words) VALUES (?, ?)`, q.id, spaced(words))
	}
	if err == nil {
		_, err = tx.exec(`DELETE FROM word_queue WHERE noun = ? AND id = ?`, q.noun, q.id)
	}
	return removed, len(words), err
}

// wordsOf reads the words of a row of the queue; ErrNoRow if it is not found by a search.
func (tx *Tx) wordsOf(q queuedWords) (words, tags string, err error) {
	switch q.noun {
	case "message":
		m, err := one(&tx.Reader, scanMessage, `SELECT x.conversation_id, `+messageColumns+` FROM message x
			WHERE x.conversation_id = ? AND x.created_at = ? AND x.message_type = 'text' AND `+liveMessage("x")+` /* server: the index itself */`, q.conversationID, q.id)
		return m.words(), m.tags(), err
	case "list":
		var l List
		err = tx.value([]any{&l.Title, &l.Description}, `SELECT l.title, l.description FROM list l WHERE l.seq = ? /* server: the index itself */`, q.id)
		return l.words(), "", err
	default:
		var i Item
		err = tx.value([]any{&i.Content, (*text)(&i.SourceNote), (*text)(&i.SourceURL)},
			`SELECT i.content, i.source_note, i.source_url FROM item i WHERE i.seq = ? /* server: the index itself */`, q.id)
		return i.words(), "", err
	}
}

const (
	indexInterval = 500 * time.Millisecond // between looks at the queue
	indexRetry    = 10 * time.Second       // after an error
)

// KeepWords indexes what waits in word_queue until ctx ends, in small writes with pauses
// as long as these.
func (db *DB) KeepWords(ctx context.Context, log *slog.Logger) {
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		start := time.Now()
		was, err := db.indexStep(ctx)
		switch {
		case errors.Is(err, ErrClosed) || errors.Is(err, ErrDead):
			return
		case err != nil && ctx.Err() == nil:
			log.Warn("the index of words could not be written", "error", err)
			wait = indexRetry
		case was:
			wait = time.Since(start)
		default:
			wait = indexInterval
		}
	}
}

func (db *DB) indexStep(ctx context.Context) (was bool, err error) {
	err = db.Read(ctx, func(r *Reader) error {
		return r.value([]any{&was}, `SELECT EXISTS (SELECT 1 FROM word_queue) /* scan: one row */ /* server: whether there is one */`)
	})
	if err != nil || !was {
		return false, err
	}
	err = db.Write(ctx, func(tx *Tx) (err error) {
		was, err = tx.IndexWords()
		return err
	})
	return was, err
}
