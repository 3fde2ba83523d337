package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// BenchmarkAckedSend measures messages sent and acknowledged by the store. In the
// same run it measures database/sql with the driver for the same rows, with the
// same settings and group commit in a plain loop. "of-driver" is the ratio of the
// store's speed to that, "driver/s" the driver's speed.
func BenchmarkAckedSend(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			baseline := bareSends(b, callers)
			took := storeSends(b, callers)
			b.ReportMetric(baseline.Seconds()/took.Seconds(), "of-driver")
			b.ReportMetric(float64(b.N)/baseline.Seconds(), "driver/s")
			b.ReportMetric(float64(b.N)/took.Seconds(), "sends/s")
		})
	}
}

var benchText = strings.Repeat("a message as people write them. ", 4)

// share runs f b.N times on the given number of goroutines, and returns how long
// that took.
func share(b *testing.B, callers int, f func()) time.Duration {
	var next atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range callers {
		wg.Go(func() {
			for next.Add(1) <= int64(b.N) {
				f()
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// benchFile creates a database with one account in one conversation.
func benchFile(b *testing.B) (db *store.DB, userID, conversationID string) {
	b.Helper()
	db, err := store.Open(context.Background(), filepath.Join(b.TempDir(), "hearth.db"), store.Options{Schema: storetest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	err = db.Write(context.Background(), func(tx *store.Tx) error {
		u, err := loadRow(tx)
		if err != nil {
			return err
		}
		userID = u.ID
		conversationID, err = tx.InsertGroup(u.ID, nil, "Bench")
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return db, userID, conversationID
}

func storeSends(b *testing.B, callers int) time.Duration {
	db, userID, conversationID := benchFile(b)
	defer db.Close()
	b.ResetTimer()
	took := share(b, callers, func() {
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			return tx.Send(&store.Message{ConversationID: conversationID, SenderID: userID, Content: benchText}, nil)
		})
		if err != nil {
			b.Error(err)
		}
	})
	b.StopTimer()
	return took
}

const bareSettings = "?_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(1)" +
	"&_pragma=cache_size(-16000)&_pragma=temp_store(memory)&_pragma=secure_delete(1)&_pragma=wal_autocheckpoint(2000)"

// bareDriver is the driver with the statements of a send.
type bareDriver struct {
	begin, member, message, conversation, event, commit *sql.Stmt

	userID, conversationID string
	at                     int64
}

func openBare(b *testing.B) *bareDriver {
	b.Helper()
	db, userID, conversationID := benchFile(b)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	pool, err := sql.Open("sqlite", "file:"+db.Path()+bareSettings)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { pool.Close() })
	c, err := pool.Conn(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	d := &bareDriver{userID: userID, conversationID: conversationID, at: time.Now().UnixMicro()}
	for query, to := range map[string]**sql.Stmt{
		"BEGIN IMMEDIATE": &d.begin, "COMMIT": &d.commit,
		`UPDATE member SET seen_count = seen_count + 1 WHERE conversation_id = ? AND user_id = ?`:                  &d.member,
		`INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES (?, ?, ?, ?, ?)`:         &d.message,
		`UPDATE conversation SET live_count = live_count + 1, last_message_at = ?2, updated_at = ?2 WHERE id = ?1`: &d.conversation,
		`INSERT INTO event (topic, kind, object_id, actor_id, at) VALUES (?, ?, ?, ?, ?)`:                          &d.event,
	} {
		if *to, err = c.PrepareContext(context.Background(), query); err != nil {
			b.Fatal(err)
		}
	}
	return d
}

// sends stores n messages in one transaction.
func (d *bareDriver) sends(n int) error {
	if _, err := d.begin.Exec(); err != nil {
		return err
	}
	for range n {
		d.at++
		id := store.NewTimeID(store.Time(d.at))
		for _, s := range []struct {
			stmt *sql.Stmt
			args []any
		}{
			{d.member, []any{d.conversationID, d.userID}},
			{d.message, []any{d.conversationID, d.at, id, d.userID, benchText}},
			{d.conversation, []any{d.conversationID, d.at}},
			{d.event, []any{d.conversationID, "message.created", id, d.userID, d.at}},
		} {
			if _, err := s.stmt.Exec(s.args...); err != nil {
				return err
			}
		}
	}
	_, err := d.commit.Exec()
	return err
}

func bareSends(b *testing.B, callers int) time.Duration {
	d := openBare(b)
	queue, ended := make(chan chan error, callers), make(chan struct{})
	go func() {
		defer close(ended)
		for done := range queue {
			group := []chan error{done}
			for len(queue) > 0 {
				group = append(group, <-queue)
			}
			err := d.sends(len(group))
			for _, done := range group {
				done <- err
			}
		}
	}()
	took := share(b, callers, func() {
		done := make(chan error, 1)
		queue <- done
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	close(queue)
	<-ended
	return took
}

// BenchmarkRead measures one account read by its id, and in the same run the
// same columns read with database/sql. "of-driver" is as above.
func BenchmarkRead(b *testing.B) {
	db, userID, _ := benchFile(b)
	defer db.Close()
	pool, err := sql.Open("sqlite", "file:"+db.Path()+"?mode=ro")
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	stmt, err := pool.Prepare(`SELECT id, email, coalesce(verified_at, 0), name, avatar_url, is_bot, is_system, is_admin,
		coalesce(suspended_at, 0),
		discovery_mode, presence_status, status_text, status_emoji, coalesce(status_at, 0), coalesce(last_seen_at, 0), password_hash, epoch,
		signup_provider, created_at, updated_at FROM user WHERE id = ?`)
	if err != nil {
		b.Fatal(err)
	}
	baseline := share(b, 1, func() {
		var u store.User
		if err := stmt.QueryRow(userID).Scan(&u.ID, &u.Email, &u.VerifiedAt, &u.Name, &u.AvatarURL, &u.IsBot, &u.IsSystem, &u.IsAdmin,
			&u.SuspendedAt,
			&u.DiscoveryMode, &u.PresenceStatus, &u.StatusText, &u.StatusEmoji, &u.StatusAt, &u.LastSeenAt, &u.PasswordHash, &u.Epoch,
			&u.SignupProvider, &u.CreatedAt, &u.UpdatedAt); err != nil {
			b.Error(err)
		}
	})
	b.ReportAllocs()
	b.ResetTimer()
	took := share(b, 1, func() {
		if err := db.Read(context.Background(), func(r *store.Reader) error { _, err := r.User(userID); return err }); err != nil {
			b.Error(err)
		}
	})
	b.ReportMetric(baseline.Seconds()/took.Seconds(), "of-driver")
}
