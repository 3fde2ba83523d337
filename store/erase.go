package store

import (
	"errors"
	"strings"
)

// The deletion of an account takes writes of seven kinds. Freeze takes its
// credentials away, so that what it wrote can be counted outside the writer
// (Reader.Authored). EndFriendships and EndMatches change a few hundred rows at a
// time. Redact is one write from whose commit on every reader sees the account's
// messages as deleted, from the shared account DeletedUserID. The rows still have
// the words then, and whoever reads them consults the table erasing, which is almost
// always empty. Scrub changes a few hundred rows at a time, RemoveUser deletes the
// account, and ForgetEvents its id in the event log.

// DeletedUserID is the account that is shown in place of all deleted ones. It is
// the server's own, made with the first deletion.
const DeletedUserID = "00000000-0000-4000-8000-000000000001"

// deletedName is its name.
const deletedName = "Deleted account"

// Stage is how far the deletion of an account is.
type Stage string

// The stages of a deletion, in their order.
const (
	Frozen   Stage = "frozen"   // cannot act any more
	Redacted Stage = "redacted" // is read as deleted
	Removed  Stage = "removed"  // has no row but in the event log
)

// Erasure is an account that is being deleted.
type Erasure struct {
	UserID string
	At     Time // when it reached the stage
	Stage  Stage
	Person string // the account, or the owner of a bot whose row is there
}

const erasureColumns = `e.user_id, e.at, e.stage, coalesce(u.bot_owner_id, e.user_id)`

func scanErasure(s scanner) (e Erasure, err error) {
	err = s.Scan(&e.UserID, &e.At, (*string)(&e.Stage), &e.Person)
	return e, err
}

// Erasures returns the accounts that are being deleted, bots before their owners,
// with whose rows theirs would go.
func (r *Reader) Erasures() ([]Erasure, error) {
	return all(r, scanErasure, `SELECT `+erasureColumns+` FROM erasing e LEFT JOIN user u ON u.id = e.user_id
		ORDER BY u.bot_owner_id IS NULL, e.at /* server: deletion of accounts */ /* scan: accounts that are being deleted */`)
}

// Erasure returns how far the deletion of an account is; ErrNoRow if it is not
// being deleted.
func (r *Reader) Erasure(userID string) (Erasure, error) {
	return one(r, scanErasure, `SELECT `+erasureColumns+` FROM erasing e LEFT JOIN user u ON u.id = e.user_id WHERE e.user_id = ? /* server: deletion of accounts */`, userID)
}

// Erased is an account that was deleted.
type Erased struct {
	UserID string
	At     Time
}

func scanErased(s scanner) (e Erased, err error) {
	err = s.Scan(&e.UserID, &e.At)
	return e, err
}

// Erased returns the deletion ledger: every account that was deleted, in the
// order of their ids.
func (r *Reader) Erased() ([]Erased, error) {
	return all(r, scanErased, `SELECT user_id, at FROM erased ORDER BY user_id /* scan: a row for each account that was ever deleted */`)
}

// AddErased adds accounts to the deletion ledger; those in it stay as they are.
func (tx *Tx) AddErased(list []Erased) error {
	for _, e := range list {
		if _, err := tx.exec(`INSERT OR IGNORE INTO erased (user_id, at) VALUES (?, ?)`, e.UserID, int64(e.At)); err != nil {
			return err
		}
	}
	return nil
}

// Bots returns the ids of the bots of an account.
func (r *Reader) Bots(userID string) ([]string, error) {
	return all(r, scanOne[string], `SELECT u.id FROM user u WHERE u.bot_owner_id = ? /* server: deletion with their owner */`, userID)
}

// Freeze begins the deletion of an account: it is suspended, and its sessions,
// keys and sign-in links are deleted. It does nothing if the deletion has begun.
// It returns ErrNoRow if there is no account.
func (tx *Tx) Freeze(userID string) error {
	u, err := tx.User(userID)
	if err != nil {
		return err
	}
	if _, err := tx.Erasure(userID); !errors.Is(err, ErrNoRow) {
		return err
	}
	tx.credentialsChanged(userID)
	return tx.execAll(
		statement{`INSERT INTO erasing (user_id, at, stage) VALUES (?, ?, 'frozen')`, []any{userID, int64(tx.Now)}},
		statement{`UPDATE user SET suspended_at = coalesce(suspended_at, ?2), epoch = epoch + 1 WHERE id = ?1`, []any{userID, int64(tx.Now)}},
		statement{`DELETE FROM session WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM api_key WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM login_link WHERE email_key = ?`, []any{Fold(u.Email)}},
	)
}

// statement is one that changes rows, with its arguments.
type statement struct {
	query string
	args  []any
}

// execAll runs statements in their order.
func (tx *Tx) execAll(statements ...statement) error {
	for _, s := range statements {
		if _, err := tx.exec(s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// erasingColumn is a column of every query that reads messages: the accounts
// that are read as deleted, with the time. It is evaluated once for a statement,
// and is NULL almost always, so that it costs next to nothing. Being part of the
// statement it is of the same state as the messages.
const erasingColumn = `(SELECT group_concat(user_id || at, ' ') FROM erasing WHERE stage = 'redacted')`

// notErasing is the condition for an id of an account that is not read as
// deleted.
func notErasing(id string) string {
	return id + ` NOT IN (SELECT user_id FROM erasing WHERE stage = 'redacted')`
}

// liveMessage is the condition that a message is not deleted.
func liveMessage(message string) string {
	return `(` + message + `.deleted_at IS NULL AND ` + notErasing(message+".sender_id") + `)`
}

// erasing scans erasingColumn.
type erasing string

// Scan implements sql.Scanner.
func (e *erasing) Scan(src any) error { return (*text)(e).Scan(src) }

// ScanText implements engine.TextScanner.
func (e *erasing) ScanText(s string) { *e = erasing(s) }

// has returns when an account was deleted that is read as such.
func (e erasing) has(userID string) (at Time, ok bool) {
	if e == "" || userID == "" {
		return 0, false
	}
	for _, entry := range strings.Fields(string(e)) {
		if digits, found := strings.CutPrefix(entry, userID); found {
			for _, d := range digits {
				at = at*10 + Time(d-'0')
			}
			return at, true
		}
	}
	return 0, false
}

// shown returns the account that is shown in place of one.
func (e erasing) shown(userID string) string {
	if _, ok := e.has(userID); ok {
		return DeletedUserID
	}
	return userID
}

// redact makes m what it is once it is scrubbed, if its sender is being deleted.
func (m *Message) redact() {
	at, ok := m.erasing.has(m.SenderID)
	if !ok {
		return
	}
	m.SenderID, m.AgentID, m.AgentName = DeletedUserID, "", ""
	m.Content, m.CardPayload, m.Attachments, m.Transcript, m.Reacted, m.Mentioned = "", "", "", "", false, false
	if m.DeletedAt == 0 {
		m.DeletedAt = at
	}
}

// Resurrected returns the accounts of the deletion ledger that exist and are not
// being deleted: those of a backup that is older than their deletion.
func (r *Reader) Resurrected() ([]string, error) {
	return all(r, scanOne[string], `SELECT u.id FROM erased d CROSS JOIN user u ON u.id = d.user_id
		WHERE u.id NOT IN (SELECT user_id FROM erasing) /* server: deleted accounts */ /* scan: the ledger, when the server starts */`)
}
