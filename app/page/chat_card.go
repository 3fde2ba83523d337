package page

import "github.com/go-json-experiment/json"

type serverCard struct {
	Sides [2]cardSide
	Text  string // "" for a match
}

// cardSide is one person's ask or offer. Terms is "" if the account is deleted.
type cardSide struct{ Label, Terms string }

// Left reports whether one of the accounts is deleted.
func (c *serverCard) Left() bool { return c.Sides[0].Terms == "" || c.Sides[1].Terms == "" }

func serverCardOf(kind, payload string) *serverCard {
	var p struct {
		MatchType  string `json:"matchType"`
		AskTerms   string `json:"askTerms"`
		OfferTerms string `json:"offerTerms"`
		SameKind   bool   `json:"sameKind"`
	}
	if kind != "match_context" || json.Unmarshal([]byte(payload), &p) != nil || p.AskTerms == "" && p.OfferTerms == "" {
		return &serverCard{Text: "A message from the server."}
	}
	c := serverCard{Sides: [2]cardSide{{"One of you asks", p.AskTerms}, {"The other offers", p.OfferTerms}}}
	if p.MatchType != "complementary" || p.SameKind {
		c.Sides[0].Label, c.Sides[1].Label = "One of you", "The other"
	}
	return &c
}
