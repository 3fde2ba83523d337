package storetest

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/store"

	_ "modernc.org/sqlite" // for tests that open the file themselves
)

//go:embed crowd.sql
var crowdSQL string

// The ids of the crowd, three accounts, are before and behind others' ids.
const (
	crowdX = "00000000-0000-4000-8000-0000000000c1"
	crowdY = "ffffffff-ffff-4fff-bfff-fffffffffff2"
	crowdZ = "ffffffff-ffff-4fff-bfff-fffffffffff3"
)

// Crowd has the ids of the accounts of the crowd: x, y and z of crowd.sql.
var Crowd = map[string]string{"x": crowdX, "y": crowdY, "z": crowdZ}

// crowd is a file with three accounts that no test knows. They have rows in nearly every table, from an hour before
// the test. Nobody else may see the rows, and none expires. A statement without a condition reads or changes them.
type crowd struct {
	file []byte
	rows map[string]string // queries that each count one row
}

// theCrowd is made once: copying the file is faster.
var theCrowd = sync.OnceValues(func() (c crowd, err error) {
	dir, err := os.MkdirTemp("", "crowd")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "hearth.db")
	schema, err := schemaText()
	if err != nil {
		return c, err
	}
	db, err := store.Open(context.Background(), path, store.Options{Schema: schema, Now: store.NewManualClock(Epoch.Add(-time.Hour)).Now})
	if err != nil {
		return c, err
	}
	ids, err := insertCrowd(db)
	if err := errors.Join(err, db.Close()); err != nil {
		return c, err
	}
	file, err := openFile(path)
	if err != nil {
		return c, err
	}
	if _, err = file.Exec("BEGIN;"+crowdSQL+"COMMIT", ids...); err == nil {
		c.rows, err = crowdRows(file)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return c, err
	}
	c.file, err = os.ReadFile(path)
	return c, err
})

func (c crowd) check(t testing.TB, file *sql.DB) {
	t.Helper()
	for row, query := range c.rows {
		var n int
		if err := file.QueryRow(query).Scan(&n); err != nil || n != 1 {
			t.Errorf("a row that the test has nothing to do with was changed or deleted, %v: %s", err, row)
		}
	}
}

func openFile(path string) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()} // names of tests have # in them
	file, err := sql.Open("sqlite", u.String())
	if err == nil {
		file.SetMaxOpenConns(1)
	}
	return file, err
}

func insertCrowd(db *store.DB) (ids []any, err error) {
	var group string
	var said [2]store.Message
	var list store.List
	var items [2]store.Item
	name := func(name, value string) { ids = append(ids, sql.Named(name, value)) }
	for _, step := range []func(tx *store.Tx) error{
		func(tx *store.Tx) error {
			for id, n := range map[string]string{crowdX: "Xq", crowdY: "Yq", crowdZ: "Zq"} {
				_, err := tx.InsertUser(store.User{ID: id, Email: n + "@crowd.example", Name: n, VerifiedAt: tx.Now, SignupProvider: "magic-link"})
				if err != nil {
					return err
				}
				name(strings.ToLower(n[:1]), id)
			}
			group, err = tx.InsertGroup(crowdX, []string{crowdY}, "Crowd")
			return err
		},
		func(tx *store.Tx) error {
			said[0] = store.Message{ConversationID: group, SenderID: crowdX, Content: "@Yq crowd", Attachments: `[{"id":"crowd"}]`}
			return tx.Send(&said[0], nil)
		},
		func(tx *store.Tx) error {
			said[1] = store.Message{ConversationID: group, SenderID: crowdY, Content: "crowd #crowd"}
			return tx.Send(&said[1], nil)
		},
		func(tx *store.Tx) error {
			if list, err = tx.InsertList(store.List{OwnerID: crowdX, Title: "Crowd", Visibility: "private", Slug: "crowd",
				Checkable: true}); err != nil {
				return err
			}
			if err := tx.PutListMember(list.ID, crowdY, "editor"); err != nil {
				return err
			}
			for i := range items {
				if items[i], _, err = tx.InsertItem(store.Item{ListID: list.ID, Content: "crowd", AuthorID: crowdX}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		if err := db.Write(context.Background(), step); err != nil {
			return nil, err
		}
	}
	name("group", group)
	name("list", list.ID)
	name("item", items[0].ID)
	for i, m := range said {
		name(fmt.Sprintf("message%d", i), m.ID)
		ids = append(ids, sql.Named(fmt.Sprintf("at%d", i), int64(m.CreatedAt)))
	}
	return append(ids, sql.Named("at", int64(said[0].CreatedAt))), nil
}

func crowdRows(file *sql.DB) (queries map[string]string, err error) {
	queries = map[string]string{}
	tables, err := texts(file, `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'
		AND name NOT IN ('setting', 'clock', 'sequence', 'event', 'job', 'word_queue', 'unqueued')`)
	for _, table := range tables {
		var columns, rows []string
		if columns, err = texts(file, `SELECT name FROM pragma_table_info('`+table+`')`); err != nil {
			break
		}
		quoted := "quote(" + strings.Join(columns, "), quote(") + ")"
		conditions := "'" + strings.Join(columns, " IS %s AND ") + " IS %s'"
		if rows, err = texts(file, `SELECT format(`+conditions+`, `+quoted+`) FROM `+table); err != nil {
			break
		}
		for _, row := range rows {
			queries[table+": "+row] = "SELECT count(*) FROM " + table + " WHERE " + row
		}
	}
	return queries, err
}

func texts(file *sql.DB, query string) (all []string, err error) {
	rows, err := file.Query(query)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, query)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}
