package match

import (
	"strconv"
	"strings"
)

// times are the times that a text names, a bit for each value of a scale; 0 says
// nothing about it.
type times struct {
	scale  [scales]uint16
	dates  uint64 // days of a month, bit 1 to 31
	either bool   // the day or the part of the day, as in "evenings and weekends"
}

// The scales of times.txt. Day has seven bits, Monday first.
const (
	scaleDay = iota
	scalePart
	scaleMonth
	scaleNear
	scaleWay
	scales
)

const (
	weekend = 1<<5 | 1<<6
	workday = 1<<5 - 1
)

// timeValue is what a word says about time.
type timeValue struct {
	scale int
	bits  uint16
}

var dayBits = map[string]uint16{
	"mon": 1, "tue": 1 << 1, "wed": 1 << 2, "thu": 1 << 3, "fri": 1 << 4, "sat": 1 << 5, "sun": 1 << 6, "end": weekend,
	"work": workday,
}

// The seasons of the north, with a month on both sides.
var seasonBits = map[string]uint16{
	"summer": 0b0011111 << 5, "autumn": 0b0011111 << 8, "spring": 0b0011111 << 2, "winter": 1<<11 | 1<<12 | 0b1110,
}

// Neighbouring parts of the day do not exclude each other.
var partBits = map[string]uint16{"morning": 0b00001, "noon": 0b00110, "afternoon": 0b00110, "evening": 0b11000, "night": 0b11000}

func timeOf(name string) timeValue {
	scale, value, _ := strings.Cut(name, ".")
	switch scale {
	case "day":
		return timeValue{scaleDay, dayBits[value]}
	case "part":
		return timeValue{scalePart, partBits[value]}
	case "month":
		if bits, ok := seasonBits[value]; ok {
			return timeValue{scaleMonth, bits}
		}
		n, _ := strconv.Atoi(value)
		return timeValue{scaleMonth, 1 << n}
	case "near":
		return timeValue{scaleNear, map[string]uint16{"today": 1, "tomorrow": 2}[value]}
	}
	return timeValue{scaleWay, map[string]uint16{"online": 1, "inperson": 2}[value]}
}

// readTimes returns the times that pieces name, and marks those pieces in used.
// Times after a word such as "except" are taken away from what is left.
func (v *vocabulary) readTimes(pieces []piece, used []bool) times {
	var t times
	excluded := [scales]uint16{}
	except, reach := -10, 3
	last, lastScale := -10, -1
	for i := 0; i < len(pieces); i++ {
		w := v.withoutSlip(pieces, i)
		if v.except[w] || v.negators[w] {
			except, reach = i, 3
			if w == "booked" || w == "gone" || w == "ausgebucht" {
				reach = 6
			}
		}
		n, value := 1, 0
		if value, n = v.times.at(pieces, i); value > 0 && !v.anotherMay(pieces, i) {
			tv := v.timeValues[value-1]
			if i-except <= reach && !pieces[max(i-1, 0)].pause {
				excluded[tv.scale] |= tv.bits
				except = i
			} else {
				t.scale[tv.scale] |= tv.bits
				dayAndPart := tv.scale+lastScale == scaleDay+scalePart && tv.scale != lastScale
				t.either = t.either || i-last == 2 && joinsTimes[pieces[i-1].text] && dayAndPart
				last, lastScale = i+n-1, tv.scale
			}
			for j := range n {
				used[i+j] = true
			}
			t.readDate(pieces, i, n, tv.scale, used)
			i += n - 1
			continue
		}
		if v.joinedTime(&t, w) {
			used[i] = true
			continue
		}
		t.readHour(pieces, i, used)
	}
	for s := range scales {
		if excluded[s] != 0 && t.scale[s] == 0 {
			t.scale[s] = ^excluded[s]
		}
	}
	return t
}

// withoutSlip returns the text of a piece. If it is no English word, and one slip
// away from the name of a day, it becomes that.
func (v *vocabulary) withoutSlip(pieces []piece, i int) string {
	const least, most = 5, 12
	w := pieces[i].text
	if pieces[i].kind != word || len(w) < least || len(w) > most || v.times.exact[w] > 0 {
		return w
	}
	if _, known := knowledge().english(w); known {
		return w
	}
	for _, day := range v.days {
		if day[0] == w[0] && max(len(day)-len(w), len(w)-len(day)) <= 1 && distance([]rune(day), []rune(w)) == 1 {
			pieces[i].text = day
			return day
		}
	}
	return w
}

// readDate reads a day of the month beside its name.
func (t *times) readDate(pieces []piece, i, n, scale int, used []bool) {
	if scale != scaleMonth {
		return
	}
	before := i - 1
	for before > i-3 && before > 0 && ofDates[pieces[before].text] { // "5 th of october"
		before--
	}
	for _, j := range []int{before, i + n} {
		if j >= 0 && j < len(pieces) && pieces[j].kind == number && len(pieces[j].text) <= 2 {
			if d, err := strconv.Atoi(pieces[j].text); err == nil && d >= 1 && d <= 31 {
				t.dates |= 1 << d
				used[j] = true
			}
		}
	}
}

// ofDates are the words between a day and its month.
var ofDates = set("th st nd rd of de do d del der di")

// readHour reads an hour such as "8 pm", and marks "am" and "pm".
func (t *times) readHour(pieces []piece, i int, used []bool) {
	if pieces[i].kind != number || i+1 >= len(pieces) {
		return
	}
	h, err := strconv.Atoi(pieces[i].text)
	if err != nil || h > 12 {
		return
	}
	switch pieces[i+1].text {
	case "am":
		t.scale[scalePart] |= partBits["morning"]
	case "pm":
		if h >= 5 && h < 12 {
			t.scale[scalePart] |= partBits["evening"]
		} else {
			t.scale[scalePart] |= partBits["afternoon"]
		}
	default:
		return
	}
	used[i], used[i+1] = true, true
}

// exclude reports whether two texts name times of one scale and none in common.
func (t times) exclude(o times) bool {
	apart := func(s int) bool { return t.scale[s] != 0 && o.scale[s] != 0 && t.scale[s]&o.scale[s] == 0 }
	day, part := apart(scaleDay), apart(scalePart)
	if t.either || o.either {
		day, part = day && part, day && part
	}
	if day || part || apart(scaleNear) || apart(scaleWay) {
		return true
	}
	months := t.scale[scaleMonth] & o.scale[scaleMonth]
	switch {
	case t.scale[scaleMonth] != 0 && o.scale[scaleMonth] != 0 && months == 0:
		return true
	case months != 0 && t.dates != 0 && o.dates != 0:
		return t.dates&o.dates == 0 && onlyOne(t.dates) && onlyOne(o.dates)
	}
	return false
}

func onlyOne(bits uint64) bool { return bits&(bits-1) == 0 }

// anotherMay reports whether a piece is the verb "may", or "march" or the like,
// and no month: a month follows a preposition or stands beside a number.
func (v *vocabulary) anotherMay(pieces []piece, i int) bool {
	if w := pieces[i].text; w != "may" && w != "march" && w != "mai" && w != "mars" && w != "mart" {
		return false
	}
	if i > 1 && joinsTimes[pieces[i-1].text] {
		if value, _ := v.times.at(pieces, i-2); value > 0 && v.timeValues[value-1].scale == scaleMonth {
			return false // "february and march"
		}
	}
	return !(i > 0 && (pieces[i-1].kind == number || v.prepositions[pieces[i-1].text]) || i+1 < len(pieces) && pieces[i+1].kind == number)
}

// joinsTimes are the words between two times of one kind.
var joinsTimes = set("and or to und oder bis et ou y o e ed en of i lub do и или по")

// meets reports whether both name a day or a date, and have one in common.
func (t times) meets(o times) bool {
	return t.scale[scaleDay]&o.scale[scaleDay] != 0 || t.dates&o.dates != 0 || t.scale[scaleNear]&o.scale[scaleNear] != 0
}

// joinedTime reads a day and a part of the day that are written as one word, such
// as Freitagabend, and reports whether w is that.
func (v *vocabulary) joinedTime(t *times, w string) bool {
	if len(w) < 8 {
		return false
	}
	for i := 5; i+4 <= len(w); i++ {
		day, part := v.times.exact[w[:i]], v.times.exact[w[i:]]
		if day == 0 || part == 0 {
			continue
		}
		a, b := v.timeValues[day-1], v.timeValues[part-1]
		if a.scale == scaleDay && b.scale == scalePart {
			t.scale[scaleDay] |= a.bits
			t.scale[scalePart] |= b.bits
			return true
		}
	}
	return false
}
