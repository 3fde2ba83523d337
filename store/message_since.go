package store

import (
	"container/heap"
	"errors"
)

// MessagesSince returns up to limit messages from after a moment, of all
// conversations that by may see, the oldest first, without deleted ones, and whether
// there are more. It ends before they have more than size bytes of text together, but
// not before the first.
//
// It merges the conversations' own runs of messages, so that it reads what it
// returns, whatever the number of messages since then.
func (r *Reader) MessagesSince(by Viewer, since Time, limit, size int) (out []Message, more bool, err error) {
	found, err := all(r, scanHead, `SELECT c.id, (SELECT x.created_at FROM message x
			WHERE x.conversation_id = c.id AND x.created_at > ?2 AND `+liveMessage("x")+` ORDER BY x.created_at LIMIT 1)
		FROM member m JOIN conversation c ON c.id = m.conversation_id
		WHERE `+visibleMembership("m", "?1")+` AND c.last_message_at > ?2`, by.UserID, int64(since))
	if err != nil {
		return nil, false, err
	}
	q := heads(found)
	heap.Init(&q)
	for len(out) <= limit && size >= 0 && len(q) > 0 && q[0].at != 0 {
		next := heap.Pop(&q).(head)
		var until Time
		if len(q) > 0 {
			until = q[0].at
		}
		left := limit + 1 - len(out)
		run, err := r.messagesWithin(next.conversationID, left, size, `SELECT `+messageColumns+` FROM message x
			WHERE x.conversation_id = ?1 AND x.created_at >= ?2 AND x.created_at < ?3 AND `+liveMessage("x")+`
				AND `+visibleConversation("?1", "?4")+`
			ORDER BY x.created_at LIMIT ?5`, next.conversationID, int64(next.at), orEnd(until), by.UserID, left)
		if err != nil {
			return nil, false, err
		}
		out = append(out, run...)
		for i := range run {
			size -= run[i].Size()
		}
		if len(run) == 0 || len(run) == left || size < 0 {
			continue
		}
		if next.at, err = r.nextMessage(by, next.conversationID, run[len(run)-1].CreatedAt); err != nil {
			return nil, false, err
		}
		heap.Push(&q, next)
	}
	if len(out) > limit || size < 0 && len(out) > 1 {
		return out[:len(out)-1], true, nil
	}
	return out, size < 0, nil
}

// nextMessage returns when the first message after a moment was sent that is
// not deleted; 0 if there is none.
func (r *Reader) nextMessage(by Viewer, conversationID string, after Time) (at Time, err error) {
	err = r.value([]any{&at}, `SELECT x.created_at FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at > ?2 AND `+liveMessage("x")+` AND `+visibleConversation("?1", "?3")+`
		ORDER BY x.created_at LIMIT 1`, conversationID, int64(after), by.UserID)
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	return at, err
}

// head is the time of the next message of a conversation; 0 after the last.
type head struct {
	conversationID string
	at             Time
}

func scanHead(s scanner) (h head, err error) {
	err = s.Scan(&h.conversationID, &h.at)
	return h, err
}

// heads is a heap with the earliest on top and those without a next message at
// the end.
type heads []head

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return uint64(h[i].at-1) < uint64(h[j].at-1) }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(head)) }
func (h *heads) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
