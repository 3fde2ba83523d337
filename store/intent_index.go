package store

import (
	"math"
	"slices"

	"github.com/go-json-experiment/json"
)

// IntentKey is one of the keys by which an intent is found, with what an
// agreement in it counts.
type IntentKey struct {
	Key    int64
	Weight int
	since  int64 // of a frequent key, the first intent that is looked at
}

// ListIntent makes i, with its Prepared, one of the intents that are found by their
// keys.
func (tx *Tx) ListIntent(i *Intent, keys []IntentKey) error {
	if err := tx.UnlistIntent(i.Seq); err != nil {
		return err
	}
	if err := tx.exec1(`UPDATE intent SET listed_at = ?2, prepared = nullif(?3, x'') WHERE seq = ?1 AND status = 'active'`, i.Seq, int64(tx.Now), i.Prepared); err != nil {
		return err
	}
	return tx.addKeys(i.Seq, keys)
}

func (tx *Tx) addKeys(seq int64, keys []IntentKey) error {
	_, err := tx.exec(`INSERT INTO intent_key (key, intent, weight) SELECT value ->> 0, ?1, value ->> 1 FROM json_each(?2) WHERE 1
		ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight) /* server: matching */`, seq, keyList(keys))
	return err
}

// IntentsAfter returns up to limit intents that are listed, in the order of their
// row numbers, from after one.
func (r *Reader) IntentsAfter(seq int64, limit int) ([]Intent, error) {
	return all(r, scanIntent, `SELECT `+intentColumns+` FROM intent i WHERE i.seq > ?1 AND i.listed_at IS NOT NULL ORDER BY i.seq LIMIT ?2 /* server: matching */`, seq, limit)
}

// ReplaceKeys replaces the keys of an intent, and what is prepared of it, unless it
// is not listed any more.
func (tx *Tx) ReplaceKeys(seq int64, keys []IntentKey, prepared []byte) error {
	var listed bool
	err := tx.value([]any{&listed}, `SELECT EXISTS (SELECT 1 FROM intent i WHERE i.seq = ? AND i.listed_at IS NOT NULL) /* server: matching */`, seq)
	if err != nil || !listed {
		return err
	}
	if _, err := tx.exec(`DELETE FROM intent_key WHERE intent = ? /* server: matching */`, seq); err != nil {
		return err
	}
	if _, err := tx.exec(`UPDATE intent SET prepared = nullif(?2, x'') WHERE seq = ?1`, seq, prepared); err != nil {
		return err
	}
	return tx.addKeys(seq, keys)
}

// UnlistIntent is the opposite of ListIntent.
func (tx *Tx) UnlistIntent(seq int64) error {
	if _, err := tx.exec(`DELETE FROM intent_key WHERE intent = ? /* server: matching */`, seq); err != nil {
		return err
	}
	if _, err := tx.exec(`UPDATE intent SET listed_at = NULL, prepared = NULL WHERE seq = ? AND listed_at IS NOT NULL`, seq); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM intent_vector WHERE seq = ?`, seq)
	return err
}

// ExpiredIntents returns up to limit intents that are listed although they have
// expired.
func (r *Reader) ExpiredIntents(limit int) ([]int64, error) {
	return all(r, scanOne[int64], `SELECT i.seq FROM intent i WHERE i.listed_at IS NOT NULL AND i.expires_at <= ?1
		ORDER BY i.expires_at LIMIT ?2 /* server: tidying */`, int64(r.Now()), limit)
}

// LastListed returns when an intent was listed last; 0 if none is.
func (r *Reader) LastListed() (at Time, err error) {
	err = r.value([]any{&at}, `SELECT coalesce(max(i.listed_at), 0) FROM intent i WHERE i.listed_at IS NOT NULL /* server: matching */`)
	return at, err
}

func keyList(keys []IntentKey) string {
	rows := make([][3]int64, len(keys))
	for n, k := range keys {
		rows[n] = [3]int64{k.Key, int64(k.Weight), k.since}
	}
	b, err := json.Marshal(rows)
	if err != nil {
		panic("store: keys: " + err.Error())
	}
	return string(b)
}

const (
	// maxPostings is how many entries of the index a search for candidates reads,
	// and maxPerKey how many of one key: a key of more says little.
	maxPostings = 4000
	maxPerKey   = 2000
	// shortlist is how many of those with the most weight are checked at once for
	// whether they are eligible.
	shortlist = 400
	// frequentKeysRead is of how many keys that have more the newest newestRead
	// entries are read.
	frequentKeysRead = 2
	newestRead       = 1000
	// maxListedSince is how many intents NewerCandidates looks at.
	maxListedSince = 256
)

// CandidateQuery asks for intents that i, of an account that may not be stored
// yet, could be matched with.
type CandidateQuery struct {
	Intent *Intent     // with its OwnerID and Audience, and its Seq if it is stored
	Keys   []IntentKey // to look for
	Limit  int
}

// Candidate is an intent that another one could be matched with.
type Candidate struct {
	Seq     int64
	OwnerID string
	Size    int // how many bytes ToCompare reads of it at most, but for a few
}

// Candidates returns a part of the intents that agree with q in the keys of the most
// weight, the rarer of which count more, in the order of that agreement, to be given to
// EligibleOf. It skips as many; more reports whether there are others after them.
func (r *Reader) Candidates(q CandidateQuery, skip int) (part []int64, more bool, err error) {
	keys, err := r.rarest(q.Keys)
	if err != nil || len(keys) == 0 {
		return nil, false, err
	}
	part, err = all(r, scanOne[int64], withKeys+` SELECT p.intent FROM chosen_key CROSS JOIN intent_key p ON p.key = chosen_key.key AND p.intent >= chosen_key.since
		GROUP BY p.intent ORDER BY sum(p.weight * chosen_key.weight) DESC, p.intent DESC LIMIT ?2 OFFSET ?3 /* server: matching */`, keyList(keys), shortlist, skip)
	return part, len(part) == shortlist, err
}

// NewerCandidates returns the first q.Limit of those that Candidates and EligibleOf
// would return of the intents that were listed after a moment, of which it reads as
// many as the writer has time for.
func (r *Reader) NewerCandidates(q CandidateQuery, since Time) ([]Candidate, error) {
	chosen, err := all(r, scanOne[int64], withKeys+` SELECT p.intent
		FROM (SELECT l.seq FROM intent l WHERE l.listed_at > ?2 AND l.owner_id <> ?3 ORDER BY l.listed_at DESC LIMIT ?4) chosen
		CROSS JOIN chosen_key CROSS JOIN intent_key p ON p.key = chosen_key.key AND p.intent = chosen.seq
		GROUP BY p.intent ORDER BY sum(p.weight * chosen_key.weight) DESC /* server: matching */`, keyList(q.Keys), int64(since), q.Intent.OwnerID, maxListedSince)
	if err != nil || len(chosen) == 0 {
		return nil, err
	}
	return r.EligibleOf(q, chosen)
}

// withKeys makes a table of the keys in the argument ?1.
const withKeys = `WITH chosen_key AS MATERIALIZED (SELECT value ->> 0 AS key, value ->> 1 AS weight, value ->> 2 AS since FROM json_each(?1))`

// EligibleOf returns the first q.Limit of the chosen intents, by row number, that q
// can be matched with, in their order. It leaves out those that were matched with
// the intent before.
func (r *Reader) EligibleOf(q CandidateQuery, chosen []int64) ([]Candidate, error) {
	a := q.Intent.Audience
	return all(r, func(s scanner) (c Candidate, err error) {
		err = s.Scan(&c.Seq, &c.OwnerID, &c.Size)
		return c, err
	}, `SELECT i.seq, i.owner_id, max(coalesce(length(i.prepared), 0), octet_length(i.terms) + coalesce(octet_length(i.goal), 0) + octet_length(i.seeks) + octet_length(i.brings))
		FROM json_each(?2) chosen CROSS JOIN intent i ON i.seq = chosen.value
		WHERE `+matchableIntent("i", "?1", "?3")+` AND (?4 = '[]' AND ?5 = '[]' OR `+inAudienceOf("i.owner_id", "?1", "?4", "?5")+`)
		AND `+notMatched("i.seq", "?6")+` LIMIT ?7`,
		q.Intent.OwnerID, jsonList(chosen), int64(r.Now()), jsonList(a.UserIDs), jsonList(a.ConversationIDs), q.Intent.Seq, q.Limit)
}

// ToCompare returns the intents of candidates that are still listed, in their order: of
// one whose Prepared is usable that, its Seq and its OwnerID alone.
func (r *Reader) ToCompare(candidates []Candidate, usable func(prepared []byte) bool) ([]Intent, error) {
	seqs := make([]int64, len(candidates))
	for n, c := range candidates {
		seqs[n] = c.Seq
	}
	out, err := all(r, func(s scanner) (i Intent, err error) {
		err = s.Scan(&i.Seq, &i.OwnerID, &i.Prepared)
		return i, err
	}, `SELECT i.seq, i.owner_id, i.prepared FROM json_each(?1) chosen CROSS JOIN intent i ON i.seq = chosen.value
		WHERE i.listed_at IS NOT NULL /* server: matching */`, jsonList(seqs))
	for n := range out {
		if err == nil && !usable(out[n].Prepared) {
			out[n], err = r.IntentBySeq(out[n].Seq)
		}
	}
	return out, err
}

// rarest returns the rarest of keys, as many as maxPostings allows, with weights
// that grow with how rare they are; and of the others those of the most weight, for
// the newest intents that have them.
func (r *Reader) rarest(keys []IntentKey) ([]IntentKey, error) {
	found, err := r.countKeys(keys)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b countedKey) int { return a.count - b.count })
	var out []IntentKey
	read := 0
	for _, c := range found {
		if read += c.count; c.count > maxPerKey || read > maxPostings {
			break
		}
		if c.count > 0 {
			c.key.Weight = int(float64(c.key.Weight) * (1 + math.Log2(float64(maxPerKey)/float64(c.count))))
			out = append(out, c.key)
		}
	}
	others := slices.DeleteFunc(slices.Clone(keys), func(k IntentKey) bool {
		return slices.ContainsFunc(out, func(o IntentKey) bool { return o.Key == k.Key }) ||
			slices.ContainsFunc(found, func(c countedKey) bool { return c.key.Key == k.Key && c.count == 0 })
	})
	slices.SortStableFunc(others, func(a, b IntentKey) int { return b.Weight - a.Weight })
	for _, k := range others[:min(len(others), frequentKeysRead)] {
		if k.since, err = r.nthNewest(k.Key, newestRead); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// nthNewest returns the intent of the key that has n - 1 newer ones; 0 without one.
func (r *Reader) nthNewest(key int64, n int) (intent int64, err error) {
	err = r.value([]any{&intent}, `SELECT coalesce((SELECT p.intent FROM intent_key p WHERE p.key = ?1 ORDER BY p.intent DESC LIMIT 1 OFFSET ?2 /* server: matching */), 0)`, key, n-1)
	return intent, err
}

type countedKey struct {
	key   IntentKey
	count int // up to maxPerKey + 1
}

// countKeys counts the intents of keys.
func (r *Reader) countKeys(keys []IntentKey) ([]countedKey, error) {
	return all(r, func(s scanner) (c countedKey, err error) {
		err = s.Scan(&c.key.Key, &c.key.Weight, &c.count)
		return c, err
	}, `SELECT j.value ->> 0, j.value ->> 1, (SELECT count(*) FROM (SELECT 1 FROM intent_key p WHERE p.key = j.value ->> 0 LIMIT ?2))
		FROM json_each(?1) j /* server: matching */`, keyList(keys), maxPerKey+1)
}

// Eligible reports whether two intents could be matched now, had they not been
// matched before.
func (r *Reader) Eligible(a, b int64) (ok bool, err error) {
	err = r.value([]any{&ok}, `SELECT EXISTS (SELECT 1 FROM intent i JOIN intent o ON o.seq = ?2 WHERE i.seq = ?1
		AND `+matchableIntent("i", "o.owner_id", "?3")+` AND `+matchableIntent("o", "i.owner_id", "?3")+`)`, a, b, int64(r.Now()))
	return ok, err
}
