package social

import "hearth/app/match"

// Warm prepares the comparison of texts, about 50 ms of work, before the first publication needs it.
func Warm() {
	p := match.PrepareIntent(match.Intent{Kind: "ask", Terms: "a ladder to clean the gutters"})
	match.Compare(p, match.PrepareIntent(match.Intent{Kind: "offer", Terms: "eine lange Leiter zu verleihen"}))
}
