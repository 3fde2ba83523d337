package storetest

import "os"

// Long reports whether the tests run at full length, set by HEARTH_LONG.
func Long() bool { return os.Getenv("HEARTH_LONG") != "" }

// Rounds returns full if the tests run at full length, else few.
func Rounds(few, full int) int {
	if Long() {
		return full
	}
	return few
}
