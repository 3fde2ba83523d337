package storetest

import (
	"database/sql"
	"fmt"

	"hearth/store"
)

// wantListWords returns the entries that the index of lists and items should
// have. Lists that wait for it are left out.
func wantListWords(db *sql.DB) (want []string, err error) {
	rows, err := db.Query(`SELECT d.id, d.public, d.own_slot, d.item_id IS NOT NULL, l.id, l.title, l.description, coalesce(i.content, ''), coalesce(i.source_note, ''), coalesce(i.source_url, '')
		FROM list_document d JOIN list l ON l.id = d.list_id LEFT JOIN item i ON i.id = d.item_id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var public, item bool
		var slot *int64
		var l store.List
		var i store.Item
		if err := rows.Scan(&id, &public, &slot, &item, &l.ID, &l.Title, &l.Description, &i.Content, &i.SourceNote, &i.SourceURL); err != nil {
			return nil, err
		}
		tokens := store.ListDocument(&l, public, slot)
		if item {
			tokens = store.ItemDocument(&l, &i, public, slot)
		}
		for _, token := range tokens {
			want = append(want, fmt.Sprint(id, " ", token))
		}
	}
	return want, rows.Err()
}

// missingDocuments returns the lists and items without a document, or with one for
// other readers, of those that do not wait for it.
func missingDocuments(db *sql.DB) (ids []string, err error) {
	rows, err := db.Query(`SELECT l.id FROM list l LEFT JOIN list_document d ON d.list_id = l.id AND d.item_id IS NULL
			WHERE l.id NOT IN (SELECT list_id FROM list_reindex) AND (d.public IS NOT (l.visibility IN ('public', 'public-edit')) OR d.public = 0 AND d.own_slot IS NOT l.own_slot) AND l.owner_id <> ?1
		UNION ALL SELECT i.id FROM item i JOIN list l ON l.id = i.list_id LEFT JOIN list_document d ON d.item_id = i.id
			WHERE l.id NOT IN (SELECT list_id FROM list_reindex) AND (d.public IS NOT (l.visibility IN ('public', 'public-edit')) OR d.public = 0 AND d.own_slot IS NOT l.own_slot) AND l.owner_id <> ?1
			AND NOT EXISTS (SELECT 1 FROM erasing e WHERE e.user_id = l.owner_id)`, store.DeletedUserID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
