package storetest

import (
	"os"
	"strconv"
)

// Long reports whether the tests run longer than usual, set by HEARTH_LONG.
func Long() bool { return os.Getenv("HEARTH_LONG") != "" }

// Rounds returns few, or with HEARTH_LONG=N the Nth part of full.
func Rounds(few, full int) int {
	if !Long() {
		return few
	}
	part, _ := strconv.Atoi(os.Getenv("HEARTH_LONG"))
	if full < few { // a step, not a number of rounds
		return full
	}
	return max(few, full/max(part, 1))
}
