package match

import (
	"slices"
	"strconv"
	"strings"
)

// times are the times that a text names, a bit for each value of a scale; 0 says nothing about it.
type times struct {
	scale [scales]uint16
	dates uint64 // days of a month, bit 1 to 31
}

// The scales of time.txt.
const (
	scaleDay = iota
	scalePart
	scaleMonth
	scaleNear
	scaleWay
	scales
)

var scaleNames = []string{"day", "part", "month", "near", "way"}

// timeValue is what a word says about time.
type timeValue struct {
	scale int
	bits  uint16
}

// timeOf returns what a scale and values on it say, as in "day 5 6".
func timeOf(name string) timeValue {
	f := strings.Fields(name)
	v := timeValue{scale: slices.Index(scaleNames, f[0])}
	for _, value := range f[1:] {
		n, _ := strconv.Atoi(value)
		v.bits |= 1 << n
	}
	return v
}

// readTimes returns the times that pieces name, and marks those pieces in used.
// Times after a word such as "except" are taken away from what is left.
func (v *vocabulary) readTimes(pieces []piece, used []bool) times {
	var t times
	excluded := [scales]uint16{}
	const reach = 3 // words
	except := -10
	for i := 0; i < len(pieces); i++ {
		w := pieces[i].text
		if v.except[w] || v.negators[w] {
			except = i
		}
		value, n := v.times.at(pieces, i)
		if value == 0 {
			continue
		}
		tv := v.timeValues[value-1]
		if i-except <= reach && !pieces[max(i-1, 0)].pause {
			excluded[tv.scale] |= tv.bits
			except = i
		} else {
			t.scale[tv.scale] |= tv.bits
		}
		for j := range n {
			used[i+j] = true
		}
		t.readDate(pieces, i, n, tv.scale, used)
		i += n - 1
	}
	for s := range scales {
		if excluded[s] != 0 && t.scale[s] == 0 {
			t.scale[s] = ^excluded[s]
		}
	}
	return t
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

// exclude reports whether two texts name times of one scale and none in common.
func (t times) exclude(o times) bool {
	apart := func(s int) bool { return t.scale[s] != 0 && o.scale[s] != 0 && t.scale[s]&o.scale[s] == 0 }
	if apart(scaleDay) || apart(scalePart) || apart(scaleNear) || apart(scaleWay) {
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

// meets reports whether both name a day or a date, and have one in common.
func (t times) meets(o times) bool {
	return t.scale[scaleDay]&o.scale[scaleDay] != 0 || t.dates&o.dates != 0 || t.scale[scaleNear]&o.scale[scaleNear] != 0
}
