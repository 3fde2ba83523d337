package match

// Intent has the public fields of an ask or an offer. Matching sees nothing else of it.
type Intent struct {
	Kind                string // "ask" or "offer"
	Terms, Goal         string
	Seeks, Brings       []string
	Mode                string // "fulfillment", "reciprocal" or "shared_goal"; "" is fulfillment
	OpenToCollaborators bool
}

// Prepared is an intent that can be compared with others. It is immutable.
type Prepared struct {
	seeks, brings []statement
	goal          *statement // nil unless the intent takes part in shared goals
	reciprocal    bool       // matches only both ways
}

// Bounds of the work for one intent. Of many long texts only the beginnings count.
const (
	maxTexts   = 20
	maxUnits   = 48 // of a text
	allUnits   = 100
	leastUnits = 5
	allText    = 3000 // characters of a list
	leastText  = 150
)

// PrepareIntent prepares an intent. Without seeks and brings an ask seeks its terms, and an offer brings them;
// otherwise only the lists count. The first 20 texts of a list count, and the first 500 characters of a text, or fewer
// if the list has more than six texts.
func PrepareIntent(in Intent) *Prepared {
	p := &Prepared{reciprocal: in.Mode == "reciprocal"}
	seeks, brings := in.sides()
	p.seeks = read(seeks, false)
	p.brings = read(brings, true)
	if in.sharesGoal() {
		if s := readStatement(in.Goal, maxUnits); len(s.units) > 0 {
			p.goal = &s
		}
	}
	return p
}

// sides returns what the intent seeks and brings.
func (in Intent) sides() (seeks, brings []string) {
	switch {
	case len(in.Seeks)+len(in.Brings) > 0:
		return in.Seeks, in.Brings
	case in.Kind == "ask":
		return []string{in.Terms}, nil
	}
	return nil, []string{in.Terms}
}

// sharesGoal reports whether the intent takes part in shared goals.
func (in Intent) sharesGoal() bool { return in.Mode == "shared_goal" && in.OpenToCollaborators }

// read reads the texts of one side, without those that say nothing.
func read(texts []string, brings bool) []statement {
	var out []statement
	texts = texts[:min(len(texts), maxTexts)]
	n := max(len(texts), 1)
	for _, text := range texts {
		s := readSide(brings, firstRunes(text, max(allText/n, leastText)), min(maxUnits, max(allUnits/n, leastUnits)))
		if len(s.units) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// Type is how two intents match.
type Type uint8

// The types of a match: none; one seeks what the other brings; each does; both want to reach the same.
const (
	None Type = iota
	Complementary
	Reciprocal
	SharedGoal
)

// String returns the name of the type as it stands in the API.
func (t Type) String() string {
	return [...]string{"none", "complementary", "reciprocal", "shared_goal"}[t]
}

// Result is what a comparison says. The score is from 0 to 1, in hundredths, and 0 for None.
type Result struct {
	Type  Type
	Score float64
}

// Introduces reports whether a result is reason enough to match two intents. It is if its score is sure by itself.
// Otherwise it must be the first result of an intent, which is compared with all others, the best first, and be at
// least had: the best score of the other intent's matches, or 0 without a match. If it is refused for had, the next
// result is the first.
func (r Result) Introduces(first bool, had float64) bool {
	return r.Type != None && (r.Score >= tuning.surely || first && r.Score >= had)
}

// Compare compares two intents. It is symmetric.
func Compare(a, b *Prepared) Result { return CompareWith(a, b, Evidence{}) }

// match decides how two intents match, by how well each brings what the other
// seeks, and how well their goals agree, if both have one.
func (a *Prepared) match(b *Prepared, one, other float64, agree func() float64) Result {
	switch {
	case one*other >= tuning.matches*tuning.matches && min(one, other) >= tuning.matches/3:
		// Two ways are evidence for each other.
		return Result{Reciprocal, hundredths((one + other) / 2)}
	case max(one, other) >= tuning.matches && !a.reciprocal && !b.reciprocal:
		return Result{Complementary, hundredths(max(one, other))}
	}
	if a.goal != nil && b.goal != nil {
		if s := agree(); s >= tuning.matches {
			return Result{SharedGoal, hundredths(s)}
		}
	}
	return Result{}
}

func hundredths(x float64) float64 { return float64(int(min(x, 1)*100+0.5)) / 100 }
