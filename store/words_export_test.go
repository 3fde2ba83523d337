package store

import "strings"

// ContainsForTest reports whether text has the word, compared in another way
// than a search does.
func ContainsForTest(text, word string) bool {
	for f := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '.' }) {
		if len([]rune(word)) < 3 && word[0] < 0x80 && f == word || (len(word) > 2 && strings.HasPrefix(f, word)) || word[0] >= 0x80 && strings.Contains(f, word) {
			return true
		}
	}
	return false
}

// ForgetWordsForTest empties the index as if all messages were from before it.
func (tx *Tx) ForgetWordsForTest() error {
	if _, err := tx.exec(`INSERT INTO message_word (message_word) VALUES ('delete-all') /* server: a test */`); err != nil {
		return err
	}
	for _, query := range []string{`DELETE FROM message_unindexed /* scan: a test */`, `DELETE FROM message_stale /* scan: a test */`} {
		if _, err := tx.exec(query); err != nil {
			return err
		}
	}
	return tx.SetSetting(wordsSetting, wordsPosition{until: tx.Now, conversationID: "-"}.String())
}
