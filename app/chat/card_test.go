package chat_test

import (
	"database/sql"
)

// sql changes rows over a connection of its own.
func (w *world) sql(query string, args ...any) {
	w.Helper()
	db, err := sql.Open("sqlite", "file:"+w.db.Path()+"?_busy_timeout=5000&_foreign_keys=on&_txlock=immediate")
	w.ok(err)
	defer db.Close()
	_, err = db.Exec(query, args...)
	w.ok(err)
}
