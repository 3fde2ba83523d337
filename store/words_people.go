package store

import (
	"slices"
	"strings"
)

// nameKeys returns the texts that a search for people compares from their beginning:
// the name from each of its words on, and a word of a script without spaces from each of
// its characters on.
func nameKeys(name string) (keys []string) {
	name = nameKey(name)
	start := true // a word begins here
	for i, r := range name {
		if start || isSpaceless(r) {
			keys = append(keys, name[i:])
		}
		start = r == ' '
	}
	return keys
}

// nameKey returns a name, or what is typed to find one, as nameKeys has it.
func nameKey(s string) string {
	key := strings.TrimSpace(Words(s))
	if key == "" {
		key = Fold(s) // such as a name of punctuation
	}
	runes := 0
	for i := range key {
		if runes == maxNameKey {
			return strings.TrimSpace(key[:i])
		}
		runes++
	}
	return key
}

// maxNameKey is how many characters of a name are searched: one character can
// become eighteen of several words, when it is compared.
const maxNameKey = 80

// searchedNames returns the words by which people are searched: the longest, and
// the others.
func searchedNames(q string) (first string, others []string) {
	for _, w := range strings.Fields(nameKey(q)) {
		if len(w) > len(first) {
			first, w = w, first
		}
		if w != "" && !slices.Contains(others, w) {
			others = append(others, w)
		}
	}
	return first, others
}

// maxNamed is how many accounts or conversations a name in a search can stand
// for.
const maxNamed = 20

// SendersNamed returns the ids of the accounts visible to by, by themselves
// included, with a name in which some word and those after it begin with name.
func (r *Reader) SendersNamed(by Viewer, name string) ([]string, error) {
	return all[string](r, `SELECT u.id FROM `+namedAccounts("?1")+` chosen CROSS JOIN user u ON u.id = chosen.user_id
		WHERE `+visibleUser("u", "?2")+` LIMIT ?3`, nameKey(name), by.UserID, maxNamed)
}

// namedAccounts are the accounts found by the beginning of a name, each once, whoever
// may see them. They are read one by one, so that a query ends once it has enough that
// the viewer may see: what is not visible does not count. Their number is bounded for
// the work alone.
func namedAccounts(name string) string {
	return `(SELECT DISTINCT w.user_id FROM user_word w WHERE w.word >= ` + name + ` AND w.word < ` + name +
		` || char(0x10FFFF) ORDER BY w.word LIMIT 20000)`
}

// ConversationsNamed returns the ids of the conversations of by whose title has the
// words of name, and of by's direct conversations with one of the people.
func (r *Reader) ConversationsNamed(by Viewer, name string, people []string) ([]string, error) {
	type titled struct{ ID, Title string }
	groups, err := all[titled](r, `SELECT c.id, c.title FROM member m JOIN conversation c ON c.id = m.conversation_id
		WHERE c.title IS NOT NULL AND `+visibleMembership("m", "?1"), by.UserID)
	if err != nil {
		return nil, err
	}
	term := Term{Words: Words(name)}
	var ids []string
	for _, c := range groups {
		if term.Words != "" && len(ids) < maxNamed && term.in(Words(c.Title)) {
			ids = append(ids, c.ID)
		}
	}
	keys := make([]string, len(people))
	for i, id := range people {
		keys[i] = directKey(by.UserID, id)
	}
	direct, err := all[string](r, `SELECT c.id FROM json_each(?1) j JOIN conversation c ON c.direct_key = j.value
		WHERE `+visibleConversation("c.id", "?2"), jsonList(keys), by.UserID)
	return append(ids, direct...), err
}
