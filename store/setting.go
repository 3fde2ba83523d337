package store

import "errors"

// Setting returns the value kept under name; "" if there is none.
func (r *Reader) Setting(name string) (string, error) {
	var v string
	err := r.value([]any{&v}, `SELECT value FROM setting WHERE name = ?`, name)
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	return v, err
}

// SetSetting keeps value under name; "" removes it.
func (tx *Tx) SetSetting(name, value string) error {
	if value == "" {
		_, err := tx.exec(`DELETE FROM setting WHERE name = ?`, name)
		return err
	}
	_, err := tx.exec(`INSERT INTO setting (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}

// Secret returns the value kept under name, and keeps what make returns
// under it if there is none yet: for secrets made at first start.
func (tx *Tx) Secret(name string, make func() string) (string, error) {
	v, err := tx.Setting(name)
	if err != nil || v != "" {
		return v, err
	}
	v = make()
	return v, tx.SetSetting(name, v)
}
