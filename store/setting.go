package store

// The settings that administrators change.
const (
	SettingCommunityName = "community_name"    // "" is hearth
	SettingPicture       = "community_picture" // its address on this server
	SettingAccent        = "accent"            // a color as #rrggbb; "" is that of hearth
	SettingWelcome       = "welcome"           // what newcomers read
	SettingDateLanguage  = "date_language"     // a language tag; "" is the reader's language
	SettingMemberInvites = "member_invites"    // "yes": members may invite; "" only administrators
	SettingSignup        = "signup"            // open or invite; "" is open
	SettingSecurity      = "security_contact"  // an address of e-mail or of a page; "" without one
)

// Settings returns the values of settings by their names, without those that are
// not set.
func (r *Reader) Settings(names ...string) (map[string]string, error) {
	type pair struct{ Name, Value string }
	rows, err := all[pair](r, `SELECT s.name, s.value FROM json_each(?) j JOIN setting s ON s.name = j.value`, jsonList(names))
	found := make(map[string]string, len(rows))
	for _, p := range rows {
		found[p.Name] = p.Value
	}
	return found, err
}

// Setting returns the value of a setting; "" if it is not set.
func (r *Reader) Setting(name string) (string, error) {
	return orZero(one[string](r, `SELECT value FROM setting WHERE name = ?`, name))
}

// SetSetting sets a setting; the value "" removes it.
func (tx *Tx) SetSetting(name, value string) error {
	if value == "" {
		return tx.exec(`DELETE FROM setting WHERE name = ?`, name)
	}
	return tx.exec(`INSERT INTO setting (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// Secret returns the value of a setting, and sets it to what make returns if it
// is not set: for secrets made at first start.
func (tx *Tx) Secret(name string, make func() string) (string, error) {
	v, err := tx.Setting(name)
	if err != nil || v != "" {
		return v, err
	}
	v = make()
	return v, tx.SetSetting(name, v)
}
