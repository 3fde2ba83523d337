package store

import (
	"fmt"
	"strings"
	"testing"
)

// A name is compared up to a number of characters, which need not be bytes.
func TestLengthOfANameKey(t *testing.T) {
	for _, letter := range []string{"a", "б"} {
		for n, want := range map[int]int{maxNameKey - 1: maxNameKey - 1, maxNameKey: maxNameKey, maxNameKey + 1: maxNameKey, 2 * maxNameKey: maxNameKey} {
			if got := nameKey(strings.Repeat(letter, n)); got != strings.Repeat(letter, want) {
				t.Errorf("%d times %s: %q", n, letter, got)
			}
		}
	}
}

// The number of the parts of the index is the second in the record of its structure; each
// number has seven bits in a byte, with the eighth bit in all but the last.
func TestPartsOfTheRecord(t *testing.T) {
	for record, want := range map[string]int{
		"":                                 0,
		"\x00\x00\x00":                     0,
		"\x00\x00\x00\x09\x01\x7f":         127,
		"\x00\x00\x00\x09\x81\x00\x05":     5,
		"\x00\x00\x00\x09\x01\x81\x01":     129,
		"\x00\x00\x00\x09\x01\x81\x80\x03": 1<<14 + 3,
		"\x00\x00\x00\x09\x01\x81":         1,
	} {
		if got := partsOf([]byte(record)); got != want {
			t.Errorf("% x: %d, want %d", record, got, want)
		}
	}
}

// A position of the index that cannot be read is an error that names the setting.
func TestUnreadablePositionOfWords(t *testing.T) {
	w := newRankWorld(t, 0)
	w.write(func(tx *Tx) error {
		if err := tx.SetSetting(wordsSetting, "x"); err != nil {
			return err
		}
		if _, err := tx.IndexOlder(1); err == nil || !strings.Contains(err.Error(), wordsSetting+` is "x"`) {
			t.Errorf("the error is %v", err)
		}
		return tx.SetSetting(wordsSetting, "")
	})
}

// An item that waits for the index is not passed over when it gets a rank before those
// that were indexed and deleted since.
func TestRanksBeforeWhatIsIndexed(t *testing.T) {
	w := newRankWorld(t, 20)
	w.exec(`UPDATE item SET rank = rank / ?`, rankGap) // without a gap
	w.exec(`UPDATE list SET visibility = 'public'`)
	w.exec(`INSERT INTO list_reindex (list_id, after) VALUES (?, NULL)`, w.id)
	reindex := func(limit int) {
		t.Helper()
		w.write(func(tx *Tx) error { _, err := tx.ReindexLists(limit); return err })
	}
	reindex(2)
	w.remove(0)
	w.remove(0)
	w.move(17, 1)
	reindex(1000)
	var left int
	w.write(func(tx *Tx) error {
		return tx.value([]any{&left}, `SELECT count(*) FROM list_document WHERE public = 0 /* server: a test */ /* scan: a test */`)
	})
	if left > 0 {
		t.Errorf("%d documents are still those of a private list", left)
	}
}

// The tokens of a text are kept in the space of 48 if few of them differ, however long the
// text is.
func TestSpaceOfPreparedTokens(t *testing.T) {
	var differ []string
	for n := range 48 {
		differ = append(differ, fmt.Sprint("w", n))
	}
	for name, text := range map[string]string{
		"few words often": strings.Repeat("a b c d e f g h ", 100),
		"half as many":    strings.Repeat(strings.Join(differ[:12], " ")+" ", 100),
		"48 that differ":  strings.Join(differ, " "),
	} {
		if p := prepare(text); cap(p.tokens) != 48 {
			t.Errorf("%s: the space of %d for %d tokens", name, cap(p.tokens), len(p.tokens))
		}
	}
}
