package page

import (
	"hash/fnv"
	"strings"
	"unicode"
)

// Person is somebody as pages show them. Their picture stands on a server of
// their choice, which would learn who reads this page and when: so pages show
// initials.
type Person struct {
	ID     string
	Name   string
	Status string // emoji and a line, as one text
	IsBot  bool

	Presence string // "away" or "busy"; "" says nothing
}

// Initials returns one or two capitals: of the first and the last word.
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

// Hue is one of the twelve warm tones of the style sheet, by id, so that it
// stays when the name changes.
func (p Person) Hue() uint32 {
	h := fnv.New32a()
	h.Write([]byte(p.ID))
	sum := h.Sum32()
	return (sum ^ sum>>15) * 2654435761 >> 16 % 12
}
