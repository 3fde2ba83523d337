package social

import (
	"cmp"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// AgentMatch is a matching ask and offer, as the account of one side sees it. It shows only the kind and the terms of
// the other intent.
type AgentMatch struct {
	ID              string     `json:"id"`
	Status          string     `json:"status" enum:"pending|awaiting_other|closed|connected" doc:"A decline of either side closes it"`
	OwnIntent       OwnIntent  `json:"ownIntent"`
	OtherKind       string     `json:"otherKind" enum:"ask|offer"`
	OtherTerms      string     `json:"otherTerms" read:"others"`
	MatchType       string     `json:"matchType" enum:"complementary|reciprocal|shared_goal"`
	Score           float64    `json:"score" read:"others" min:"0" max:"1"`
	CreatedAt       store.Time `json:"createdAt"`
	UpdatedAt       store.Time `json:"updatedAt" doc:"When what the caller sees changed"`
	ConversationID  *string    `json:"conversationId,omitzero" doc:"Once both have approved"`
	AlreadyResolved bool       `json:"alreadyResolved,omitzero" doc:"The answer came after it was closed or connected"`
}

// OwnIntent is the caller's side of a match.
type OwnIntent struct {
	ID    string `json:"id"`
	Kind  string `json:"kind" enum:"ask|offer"`
	Terms string `json:"terms" read:"own"`

	Status    string     `json:"-"`
	ExpiresAt store.Time `json:"-"` // 0: never
}

func matchOf(m store.Match) AgentMatch {
	return AgentMatch{
		ID: m.ID, Status: statusOf(m), OwnIntent: OwnIntent{ID: m.OwnID, Kind: m.OwnKind, Terms: m.OwnTerms, Status: m.OwnStatus,
			ExpiresAt: m.OwnExpiresAt}, OtherKind: m.OtherKind, OtherTerms: m.OtherTerms,
		MatchType: m.Type, Score: float64(m.Score) / 100, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
		ConversationID: core.OrNil(m.ConversationID),
	}
}

func statusOf(m store.Match) string {
	switch {
	case m.State != "open":
		return m.State
	case m.Approved:
		return "awaiting_other"
	}
	return "pending"
}

// ListMatchesOut has the caller's matches, the newest first.
type ListMatchesOut struct {
	Matches []AgentMatch `json:"matches"`
}

func listMatches(r *store.Reader, by store.Viewer, _ core.None) (out ListMatchesOut, err error) {
	rows, err := r.Matches(by, 0, maxListed)
	if err == nil && len(rows) == maxListed {
		var open []store.Match
		open, err = r.OpenMatches(by, rows[maxListed-1].CreatedAt, maxListed)
		rows = append(rows, open...)
	}
	return ListMatchesOut{core.Map(rows, matchOf)}, err
}

// RespondMatchIn answers a match.
type RespondMatchIn struct {
	ID       string `path:"id" json:"-"`
	Decision string `json:"decision" required:"true" enum:"approve|decline"`

	// KeepOpen is for pages. If the caller's own intent cannot be matched now, an approval would close the match.
	// With KeepOpen it is a Conflict instead, and changes nothing.
	KeepOpen bool `json:"-"`
}

// MatchOut has a match.
type MatchOut struct {
	Match AgentMatch `json:"match"`
}

// One decline closes the match for both, without a reason. A second answer changes nothing.
func (s *Service) respondMatch(tx *store.Tx, by store.Viewer, in RespondMatchIn) (out MatchOut, err error) {
	p, err := tx.Pair(by, in.ID)
	if err != nil {
		return out, err
	}
	resolved := p.State != "open" || p.Own.Ended()
	if !resolved && !p.Own.Approved {
		if err := s.answer(tx, by, &p, &in); err != nil {
			return out, err
		}
	}
	m, err := store.First(tx.MatchesByID(by, in.ID))
	out.Match = matchOf(m)
	out.Match.AlreadyResolved = resolved
	return out, err
}

func (s *Service) answer(tx *store.Tx, by store.Viewer, p *store.Pair, in *RespondMatchIn) error {
	if err := core.InboxChanged(tx, p.Own.UserID); err != nil {
		return err
	}
	if in.Decision == "approve" {
		if in.KeepOpen {
			if err := ownIsMatched(&tx.Reader, by, p); err != nil {
				return err
			}
		}
		ok, err := tx.Eligible(p.Own.Seq, p.Other.Seq)
		switch {
		case err != nil:
			return err
		case ok && p.Other.Approved:
			return s.connect(tx, p)
		case ok:
			return cmp.Or(tx.ApproveMatch(p.ID, p.Own.UserID), matchChanged(tx, p.ID, p.Own.UserID))
		}
	}
	told := []string{p.Own.UserID}
	if !p.Other.Ended() { // the other side already sees it closed, and not whether it was answered
		told = append(told, p.Other.UserID)
	}
	return cmp.Or(tx.CloseMatch(p.ID), matchChanged(tx, p.ID, told...))
}

func ownIsMatched(r *store.Reader, by store.Viewer, p *store.Pair) error {
	i, err := r.IntentBySeq(p.Own.Seq)
	if err != nil {
		return err
	}
	paused, err := r.Preference(by)
	switch {
	case err != nil:
		return err
	case i.ExpiresAt != 0 && i.ExpiresAt <= r.Now():
		return core.New(core.Conflict, "expired", "Your %s has ended, so this cannot connect any more. The match is as it was.", i.Kind)
	case i.Status == "paused":
		return core.New(core.Conflict, "paused", "Your %s is paused. Resume it to connect. The match is as it was.", i.Kind)
	case paused.NetworkPaused:
		return core.New(core.Conflict, "paused", "Matching is paused. Resume it to connect. The match is as it was.")
	}
	return nil
}

func (s *Service) connect(tx *store.Tx, p *store.Pair) error {
	card, err := cardOf(p)
	if err != nil {
		return err
	}
	conversationID, err := s.Connect(tx, [2]string{p.Own.UserID, p.Other.UserID}, card)
	if err == nil {
		err = tx.ConnectMatch(p.ID, conversationID)
	}
	for _, side := range []store.PairSide{p.Own, p.Other} {
		if err == nil && side.CloseOnConnect {
			var i store.Intent
			if i, err = tx.IntentBySeq(side.Seq); err == nil {
				err = end(tx, &i, "connected")
			}
		}
	}
	return cmp.Or(err, matchChanged(tx, p.ID, p.Own.UserID, p.Other.UserID))
}

// MatchCard is the payload of the first card in the conversation of a match. It is the same for both sides. The terms
// of a deleted account are empty.
type MatchCard struct {
	MatchID    string `json:"matchId"`
	MatchType  string `json:"matchType"`
	AskTerms   string `json:"askTerms"`
	OfferTerms string `json:"offerTerms"`
	SameKind   bool   `json:"sameKind,omitzero"` // two asks or two offers, the older one first
}

func cardOf(p *store.Pair) (store.MessageCard, error) {
	ask, offer := p.Sides()
	payload, err := json.Marshal(MatchCard{MatchID: p.ID, MatchType: p.Type, AskTerms: ask.Terms, OfferTerms: offer.Terms,
		SameKind: ask.Kind == offer.Kind})
	return store.MessageCard{Kind: "match_context", Payload: string(payload)}, err
}
