package match

// tuning has the numbers of the comparison. They were set by coordinate descent
// on testdata/matching/develop; matches and surely by cross-validation.
type tuningValues struct {
	// weights of units
	head, aside, place, number, gram, unknown, frame, generic, least, verb, adjective, adverb float64
	sameFrame, kind, vector, cosine                                                           float64 // similarities of units
	// similarities by how a topic or a link has both
	topic, link [4]float64
	short, long float64 // of texts
	// the least similarity of a match, and that of one that is sure
	matches, surely float64
}

var tuning = tuningValues{
	head: 1.625, aside: 0.6, place: 0.5, number: 0.25, gram: 0.7, unknown: 0.8,
	frame: 0.625, generic: 0.332, least: 0.3, verb: 0.734, adjective: 0.6, adverb: 0.3,
	sameFrame: 0.872, kind: 0.817, vector: 0.4, cosine: 0.35,
	topic: [4]float64{0, 0, 0.55, 0.8}, link: [4]float64{0, 0.8, 0.5},
	short: 0.75, long: 0.25,
	matches: 0.135, surely: 0.7,
}
