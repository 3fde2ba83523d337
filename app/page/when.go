package page

import (
	"fmt"
	"strings"

	"hearth/store"
)

// Without scripts, times are in UTC and in English, or in the community's language. The script converts them
// to the reader's zone and, without a community language, the reader's language.

type dates struct {
	months  string // separated by spaces
	day     string // D, M and Y are the parts of a date
	letters int    // letters of a month in a short date; 0 is all
}

// datesIn returns the dates of a language; "" is English.
func datesIn(language string) dates {
	d, ok := map[string]dates{
		"de": {"Januar Februar März April Mai Juni Juli August September Oktober November Dezember", "D. M Y", 0},
		"es": {"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "D de M de Y", 0},
		"fr": {"janvier février mars avril mai juin juillet août septembre octobre novembre décembre", "D M Y", 0},
		"it": {"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", "D M Y", 0},
		"ja": {"1 2 3 4 5 6 7 8 9 10 11 12", "Y年M月D日", 0},
		"nl": {"januari februari maart april mei juni juli augustus september oktober november december", "D M Y", 0},
		"pl": {"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia", "D M Y", 0},
		"pt": {"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", "D de M de Y", 0},
		"sv": {"januari februari mars april maj juni juli augusti september oktober november december", "D M Y", 0},
		"tr": {"Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık", "D M Y", 0},
	}[language]
	if !ok {
		d = dates{"January February March April May June July August September October November December", "D M Y", 3}
	}
	return d
}

func (d dates) date(t store.Time) string { return d.write(t, 0) }

func (d dates) short(t store.Time) string { return d.write(t, d.letters) }

func (d dates) write(t store.Time, letters int) string {
	at := t.Go()
	month := strings.Fields(d.months)[at.Month()-1]
	if letters > 0 {
		month = month[:letters]
	}
	return strings.NewReplacer("D", fmt.Sprint(at.Day()), "M", month, "Y", fmt.Sprint(at.Year())).Replace(d.day)
}

func (d dates) dateTime(t store.Time) string { return d.date(t) + ", " + clock(t) }

// day returns the date of a moment in UTC, to compare days.
func day(t store.Time) string { return datesIn("").date(t) }

func clock(t store.Time) string { return t.Go().Format("15:04") + " UTC" }
