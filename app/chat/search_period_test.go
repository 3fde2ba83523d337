package chat

import (
	"testing"

	"hearth/store"
)

// A period of a search is a year, a month, a day or a moment, of the calendar.
func TestParsePeriod(t *testing.T) {
	at := func(s string) store.Time {
		t.Helper()
		v, err := store.ParseTime(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for text, want := range map[string][2]string{
		"1970":                 {"1970-01-01T00:00:00Z", "1971-01-01T00:00:00Z"},
		"9998":                 {"9998-01-01T00:00:00Z", "9999-01-01T00:00:00Z"},
		"2026-01":              {"2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
		"2026-12":              {"2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		"2026-2-28":            {"2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"},
		"2028-02-29":           {"2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"},
		"2026-03-14t09:26:53z": {"2026-03-14T09:26:53Z", "2026-03-14T09:26:53.000001Z"},
	} {
		start, end, ok := parsePeriod(text)
		if !ok || start != at(want[0]) || end != at(want[1]) {
			t.Errorf("%s: from %v until %v, %v; want %v", text, start, end, ok, want)
		}
	}
	for _, text := range []string{"", "-", "1969", "9999", "65536", "+2026", "2026-0", "2026-13", "2026-02-0", "2026-02-30", "2026-04-31",
		"2026-1-1-1", "2026-01-01-", "may"} {
		if start, end, ok := parsePeriod(text); ok {
			t.Errorf("%q: from %v until %v", text, start, end)
		}
	}
}
