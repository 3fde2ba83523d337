package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hearth/store"
)

// Without scripts, times are in UTC and in English, or in the community's language. The script converts them
// to the reader's zone and, without a community language, the reader's language.

type dates struct {
	months  []string
	day     string // D, M and Y are the parts of a date
	letters int    // letters of a month in a short date; 0 is all
}

// datesIn returns the dates of a language; "" is English.
func datesIn(language string) dates {
	texts, ok := map[string][2]string{
		"de": {"Januar Februar März April Mai Juni Juli August September Oktober November Dezember", "D. M Y"},
		"es": {"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "D de M de Y"},
		"fr": {"janvier février mars avril mai juin juillet août septembre octobre novembre décembre", "D M Y"},
		"it": {"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", "D M Y"},
		"ja": {"1 2 3 4 5 6 7 8 9 10 11 12", "Y年M月D日"},
		"nl": {"januari februari maart april mei juni juli augustus september oktober november december", "D M Y"},
		"pl": {"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia", "D M Y"},
		"pt": {"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", "D de M de Y"},
		"sv": {"januari februari mars april maj juni juli augusti september oktober november december", "D M Y"},
		"tr": {"Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık", "D M Y"},
	}[language]
	if !ok {
		english := "January February March April May June July August September October November December"
		return dates{strings.Fields(english), "D M Y", 3}
	}
	return dates{strings.Fields(texts[0]), texts[1], 0}
}

func (d dates) date(t store.Time) string { return d.write(t, 0) }

func (d dates) short(t store.Time) string { return d.write(t, d.letters) }

func (d dates) write(t store.Time, letters int) string {
	at := t.Go()
	var out strings.Builder
	for _, part := range d.day {
		switch part {
		case 'D':
			out.WriteString(strconv.Itoa(at.Day()))
		case 'M':
			month := d.months[at.Month()-1]
			if letters > 0 {
				month = month[:letters]
			}
			out.WriteString(month)
		case 'Y':
			out.WriteString(strconv.Itoa(at.Year()))
		default:
			out.WriteRune(part)
		}
	}
	return out.String()
}

func (d dates) dateTime(t store.Time) string { return d.date(t) + ", " + clock(t) }

// day returns the day of a moment in UTC, to compare days.
func day(t store.Time) time.Time { return t.Go().Truncate(24 * time.Hour) }

func clock(t store.Time) string { return t.Go().Format("15:04") + " UTC" }

type ending struct {
	At   store.Time // 0 for never
	Left string     // "in 3 days", or ended
}

const ended = "ended"

// Ended reports whether the end has passed.
func (e ending) Ended() bool { return e.Left == ended }

func (s *site) ending(at store.Time) ending {
	if at == 0 {
		return ending{}
	}
	return ending{at, leftText(at.Sub(store.TimeOf(s.Now())))}
}

// leftText rounds a duration to the largest unit that it has twice, at least one minute. times.js has the
// same rule.
func leftText(d time.Duration) string {
	if d <= 0 {
		return ended
	}
	for _, unit := range []struct {
		name         string
		long, within time.Duration
	}{{"day", 24 * time.Hour, time.Hour}, {"hour", time.Hour, time.Minute}, {"minute", time.Minute, time.Second}} {
		if d.Round(unit.within) >= 2*unit.long {
			return fmt.Sprintf("in %d %ss", int(d.Round(unit.long)/unit.long), unit.name)
		}
	}
	return "in a minute"
}
