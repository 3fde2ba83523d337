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
	// The vectors of one intent are compared with the newest maxVectors intents. The maxNearest best of them are
	// checked for eligibility, and maxNear of these are compared by their texts.
	maxVectors     = 20_000
	maxNearest     = 200
	maxNear        = 20
	maxNearMatches = 3 // per intent, besides the matches made by publishing
)

// TextsOf returns the texts of an intent that get vectors. Nothing else of it leaves the server.
func TextsOf(i *store.Intent) [3]string { return publicOf(i).SideTexts() }

// MatchNear compares an intent with others by their stored vectors of the same model, and ends the claim. It finds
// matches without a word in common. As in publishing, it compares outside the write and checks eligibility within it.
// It does nothing if the claim has ended. A pair is compared once both of its vectors are stored.
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

type neighbour struct {
	intent   int64
	evidence match.Evidence
}

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

func bestOf(near []neighbour) []neighbour {
	slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(b.evidence.Most(), a.evidence.Most()) })
	return near[:min(len(near), maxNearest)]
}

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
