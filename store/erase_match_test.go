package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// matchStage is accounts that were matched with ada, some of them connected.
type matchStage struct {
	*testing.T
	storetest.Cast
	db    *storetest.DB
	place map[string]string // the conversations of ada and others
}

func (w *matchStage) intent(tx *store.Tx, owner, kind string) *store.Intent {
	w.Helper()
	i := store.Intent{OwnerID: owner, Kind: kind, Terms: "words of " + owner, MatchingMode: "fulfillment", Status: "active"}
	tx.Now = tx.Tick()
	if err := tx.InsertIntent(&i); err != nil {
		w.Fatal(err)
	}
	return &i
}

// connect matches ada with another account, which published first or not, and connects
// them with a card.
func (w *matchStage) connect(tx *store.Tx, other, kind, otherKind string, otherFirst bool) error {
	var own, others *store.Intent
	if otherFirst {
		others = w.intent(tx, other, otherKind)
	}
	own = w.intent(tx, w.Ada.ID, kind)
	if !otherFirst {
		others = w.intent(tx, other, otherKind)
	}
	id, err := tx.InsertMatch(own, others, "reciprocal", 50)
	if err != nil {
		return err
	}
	ask, offer := own, others
	if kind != otherKind && kind == "offer" || kind == otherKind && otherFirst {
		ask, offer = offer, ask
	}
	tx.Now = tx.Tick()
	if w.place[other], _, err = tx.InsertDirect(w.Ada.ID, other, ""); err != nil {
		return err
	}
	if _, err = tx.SendCard(w.place[other], store.MessageCard{Kind: "match_context",
		Payload: fmt.Sprintf(`{"matchId":%q,"askTerms":%q,"offerTerms":%q}`, id, ask.Terms, offer.Terms)}); err != nil {
		return err
	}
	return tx.ConnectMatch(id, w.place[other])
}

// openMatchStage returns eight matches of ada's that are connected, with each of two
// accounts one for each pair of kinds, three that are open, and one of others.
func openMatchStage(t *testing.T) *matchStage {
	db := storetest.Open(t)
	w := &matchStage{t, storetest.People(t, db), db, map[string]string{}}
	write(t, db, func(tx *store.Tx) (err error) {
		for _, k := range [][2]string{{"ask", "offer"}, {"offer", "ask"}, {"ask", "ask"}, {"offer", "offer"}} {
			err = errors.Join(err, w.connect(tx, w.Ben.ID, k[0], k[1], true), w.connect(tx, w.Cleo.ID, k[0], k[1], false))
		}
		for _, other := range []string{w.Stranger.ID, w.Stranger.ID, w.Ben.ID} {
			_, failed := tx.InsertMatch(w.intent(tx, w.Ada.ID, "ask"), w.intent(tx, other, "offer"), "complementary", 50)
			err = errors.Join(err, failed)
		}
		_, failed := tx.InsertMatch(w.intent(tx, w.Ben.ID, "ask"), w.intent(tx, w.Cleo.ID, "offer"), "complementary", 50)
		return errors.Join(err, failed)
	})
	return w
}

// The matches of a deleted account end, whichever side of them it is. Its words, and no
// others, leave their cards, whatever kinds the two intents have.
func TestMatchesEnd(t *testing.T) {
	w := openMatchStage(t)
	ada := w.Ada.ID
	out := erased(t, w.db, ada)
	if got := column(t, w.db, `SELECT id FROM intent_match WHERE a_user = ?1 OR b_user = ?1`, w.Cleo.ID); len(got) != 1 {
		t.Errorf("of others the matches %q are left", got)
	}
	want := []string{w.Ben.ID, w.Stranger.ID}
	slices.Sort(want)
	if !slices.Equal(out.Waiting, want) {
		t.Errorf("the accounts %q have waited, want %q", out.Waiting, want)
	}
	var cards []string
	for _, c := range out.Cards {
		cards = append(cards, c.ID)
	}
	slices.Sort(cards)
	if got := column(t, w.db, `SELECT id FROM message WHERE card_payload IS NOT NULL ORDER BY id`); !slices.Equal(got, cards) ||
		len(cards) != 8 {
		t.Errorf("the cards are %q, want %q", cards, got)
	}
	for _, other := range []string{w.Ben.ID, w.Cleo.ID} {
		if got := column(t, w.db, `SELECT card_payload FROM message WHERE conversation_id = ?1
			AND card_payload LIKE '%"words of ' || ?2 || '"%' AND card_payload LIKE '%""%'`,
			w.place[other], other); len(got) != 4 {
			t.Errorf("the cards for %s are %q", other, column(t, w.db, `SELECT card_payload FROM message WHERE conversation_id = ?1`,
				w.place[other]))
		}
	}
}
