package page

import (
	"hash/fnv"
	"strings"
	"unicode"

	"hearth/app/core"
	"hearth/store"
)

// Person is a person or a group on a page. A picture on another server is not shown: that server would learn
// who reads the page.
type Person struct {
	ID      string
	Name    string
	Picture string // its path; "" without one
	Status  string // emoji and text
	IsBot   bool

	Presence string // "away", "busy" or ""
}

// Profile returns the path of a person's page. It is "" for the account that replaces deleted ones.
func (p Person) Profile() string {
	if p.ID == "" || p.ID == store.DeletedUserID {
		return ""
	}
	return "/people/" + p.ID
}

// profile returns the path of an account's page, or "" for guests.
func (v *visit) profile(userID string) string {
	if !v.by.SignedIn() {
		return ""
	}
	return Person{ID: userID}.Profile()
}

func pictureOf(url string) string {
	if !strings.HasPrefix(url, core.PicturePath) {
		return ""
	}
	return url
}

// Initials returns the first letters of the first and the last word, in capitals.
func (p Person) Initials() string {
	var out []rune
	words := strings.FieldsFunc(p.Name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for i, w := range words {
		if i == 0 || i == len(words)-1 {
			out = append(out, unicode.ToUpper([]rune(w)[0]))
		}
	}
	if len(out) == 0 {
		return "·"
	}
	return string(out)
}

// Hue returns one of the twelve hues of the style sheet. It depends only on the id.
func (p Person) Hue() uint32 {
	h := fnv.New32a()
	h.Write([]byte(p.ID))
	sum := h.Sum32()
	return (sum ^ sum>>15) * 2654435761 >> 16 % 12
}
