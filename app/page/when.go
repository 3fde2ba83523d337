package page

import "hearth/store"

// Times are in UTC for those who read without scripts. The script turns them
// into the reader's own zone and language.

func day(t store.Time) string { return t.Go().Format("2 January 2006") }

func short(t store.Time) string { return t.Go().Format("2 Jan 2006") }

func clock(t store.Time) string { return t.Go().Format("15:04") + " UTC" }

func dayTime(t store.Time) string { return t.Go().Format("2 January 2006, 15:04") + " UTC" }
