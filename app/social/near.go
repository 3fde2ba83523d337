package social

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"hearth/app/match"
	"hearth/store"
)

const (
	// maxVectors is with how many intents, the newest, the vectors of one are
	// compared. maxNearest is how many of those whose vectors say most are checked
	// for whether they are eligible, and maxNear how many of these are compared by
	// their texts.
	maxVectors = 20_000
	maxNearest = 200
	maxNear    = 20
	// maxNearMatches is how many matches an intent has by its vectors beside those
	// that its publication made.
	maxNearMatches = 3
)

// TextsOf returns the texts of an intent of which vectors are computed. Nothing
// else of it leaves the server.
func TextsOf(i *store.Intent) [3]string { return publicOf(i).SideTexts() }

// MatchNear compares an intent, whose vectors are stored, with others whose vectors
// of the same model are, and ends the claim. Without a word in common they are
// candidates only by this. The matches are made in the way of publishing: compared
// outside the writer, and decided in it on what is eligible at that moment. It does
// nothing if the claim does not hold any more. A pair is compared once both of its
// vectors are stored, whichever was first.
func (s *Service) MatchNear(ctx context.Context, claim store.VectorClaim, model string, scale match.Scale) error {
	var i store.Intent
	var best []candidate
	err := s.DB.ReadLong(ctx, func(r *store.Reader) (err error) {
		if i, err = r.IntentBySeq(claim.Intent); err != nil {
			return err
		}
		if i.Audience, err = r.IntentAudience(store.Viewer{UserID: i.OwnerID}, i.Seq); err != nil {
			return err
		}
		near, err := nearest(r, i.Seq, model, scale)
		if err != nil || len(near) == 0 {
			return err
		}
		best, err = compareNear(r, &i, near)
		return err
	})
	if errors.Is(err, store.ErrNoRow) {
		return nil // it was deleted or is not listed any more
	}
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, func(tx *store.Tx) error {
		held, err := tx.FinishVectors(claim)
		if err != nil || !held || len(best) == 0 {
			return err
		}
		return introduce(tx, &i, best, maxNearMatches)
	})
}

// neighbour is an intent whose vectors are near those of another.
type neighbour struct {
	intent   int64
	evidence match.Evidence
}

// nearest returns the intents whose vectors say most for a match with one, the best
// first.
func nearest(r *store.Reader, intent int64, model string, scale match.Scale) (near []neighbour, err error) {
	encoded, err := r.Vectors(intent, model)
	if err != nil {
		return nil, err
	}
	own, ok := match.DecodeVectors(encoded)
	if !ok {
		return nil, nil
	}
	err = r.EachVectors(model, maxVectors, func(other int64, encoded []byte) {
		v, ok := match.DecodeVectors(encoded)
		if !ok || other == intent {
			return
		}
		if e := scale.Evidence(&own, &v); e.Most() > 0 {
			near = append(near, neighbour{other, e})
		}
		if len(near) == 2*maxNearest {
			near = bestOf(near)
		}
	})
	return bestOf(near), err
}

// bestOf sorts neighbours, the best first, and drops all but maxNearest.
func bestOf(near []neighbour) []neighbour {
	slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(b.evidence.Most(), a.evidence.Most()) })
	return near[:min(len(near), maxNearest)]
}

// compareNear compares an intent with those of its neighbours that it may be
// matched with, and returns those that agree, the best first.
func compareNear(r *store.Reader, i *store.Intent, near []neighbour) (best []candidate, err error) {
	chosen := make([]int64, len(near))
	evidence := map[int64]match.Evidence{}
	for n, o := range near {
		chosen[n], evidence[o.intent] = o.intent, o.evidence
	}
	eligible, err := r.EligibleOf(store.CandidateQuery{Intent: i, Limit: maxNear}, chosen)
	if err != nil {
		return nil, err
	}
	others, err := r.ToCompare(eligible, match.Decodes)
	p := prepare(i)
	for _, o := range others {
		if result := match.CompareWith(p, preparedOf(&o), evidence[o.Seq]); result.Type != match.None {
			best = append(best, candidate{intent: o, result: result})
		}
	}
	return ordered(best), err
}
