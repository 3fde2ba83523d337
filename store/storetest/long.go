package storetest

import "os"

// Long reports whether the tests run at full length, as HEARTH_LONG asks for.
func Long() bool { return os.Getenv("HEARTH_LONG") != "" }

// Rounds returns full if the tests run at full length, and else few.
func Rounds(few, full int) int {
	if Long() {
		return full
	}
	return few
}
