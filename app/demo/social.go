package demo

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/social"
	"hearth/store"
)

// social reads a line of social.txt and adds its steps. A
// line names what lines above it have made.
func (s *seeder) social(line string) error {
	word, rest, _ := strings.Cut(line, "|")
	word = strings.TrimSpace(word)
	add := map[string]struct {
		n   int
		add func([]string) error
	}{
		"ask":   {6, func(f []string) error { return s.intent("ask", f) }},
		"offer": {6, func(f []string) error { return s.intent("offer", f) }},
		"match": {6, s.match}, "draft": {9, s.draft}, "story": {7, s.story},
		"publish": {6, s.publishRequest}, "respond": {5, s.respondRequest},
	}[word]
	if add.add == nil {
		return fmt.Errorf("unknown word %q", word)
	}
	return add.add(fields(rest, add.n))
}

// ago returns the moment that a duration like 3d6h is before now.
func (s *seeder) ago(text string) (time.Time, error) {
	d, err := parseAgo(text)
	return s.now.Add(-d), err
}

// until returns the moment that a duration is from now; 0 for "-".
func (s *seeder) until(text string) (store.Time, error) {
	if text == "-" {
		return 0, nil
	}
	d, err := parseAgo(text)
	return store.TimeOf(s.now.Add(d)), err
}

// intent adds the step of an ask or an offer.
func (s *seeder) intent(kind string, f []string) error {
	at, err := s.ago(f[2])
	if err != nil {
		return err
	}
	i := &store.Intent{Kind: kind, Terms: f[4], Details: f[5], MatchingMode: "fulfillment", CloseOnConnect: true, Status: "active"}
	if i.ExpiresAt, err = s.until(f[3]); err != nil {
		return err
	}
	i.Seeks, i.Brings = []string{}, []string{}
	if kind == "ask" {
		i.Seeks = []string{i.Terms}
	} else {
		i.Brings = []string{i.Terms}
	}
	s.intents[f[0]] = i
	s.at(at, func(tx *store.Tx) error {
		i.ID, i.OwnerID = s.id(), s.users[f[1]].ID
		return tx.InsertIntent(i, social.KeysOf(i))
	})
	return nil
}

// match adds the steps of a match.
func (s *seeder) match(f []string) error {
	a, b := s.intents[f[0]], s.intents[f[1]]
	score, err := strconv.Atoi(f[3])
	at, errAt := s.ago(f[4])
	if err != nil || errAt != nil || a == nil || b == nil {
		return fmt.Errorf("%q is no match", f)
	}
	var id string
	s.at(at, func(tx *store.Tx) error {
		id = s.id()
		return tx.SeedMatch(id, a, b, f[2], score)
	})
	approved := strings.Fields(f[5])
	for n, who := range approved {
		s.at(at.Add(time.Duration(n+1)*time.Hour), func(tx *store.Tx) error {
			switch {
			case who == "no":
				return tx.CloseMatch(id)
			case len(approved) == 2 && n == 1:
				return s.connect(tx, id, a, b)
			}
			return tx.ApproveMatch(id, s.users[who].ID)
		})
	}
	return nil
}

// connect opens the conversation of a match.
func (s *seeder) connect(tx *store.Tx, id string, a, b *store.Intent) error {
	ask, offer := a, b
	if a.Kind == "offer" {
		ask, offer = b, a
	}
	payload, err := json.Marshal(social.MatchCard{MatchID: id, MatchType: "complementary", AskTerms: ask.Terms, OfferTerms: offer.Terms})
	if err != nil {
		return err
	}
	conversation := s.timeID(tx.Now)
	if err := tx.InsertSeeded(conversation, "", a.OwnerID, []string{b.OwnerID}); err != nil {
		return err
	}
	s.info.Conversations++
	if _, err := tx.SendCard(conversation, store.MessageCard{ID: s.timeID(tx.Now), Kind: "match_context", Payload: string(payload)}); err != nil {
		return err
	}
	if err := tx.ConnectMatch(id, conversation); err != nil {
		return err
	}
	if err := tx.SetIntentStatus(a, "connected"); err != nil {
		return err
	}
	return tx.SetIntentStatus(b, "connected")
}

// draft adds the step of a draft.
func (s *seeder) draft(f []string) error {
	at, err := s.ago(f[2])
	if err != nil {
		return err
	}
	d := store.Draft{AgentName: f[1], Goal: f[3], Seeks: parts(f[4], ";"), Brings: parts(f[5], ";"), Details: f[6], Source: f[7], MatchingMode: "fulfillment"}
	if f[8] != "" {
		sure, err := strconv.ParseFloat(f[8], 64)
		if err != nil {
			return err
		}
		d.Confidence = &sure
	}
	s.at(at, func(tx *store.Tx) error {
		d.ID, d.OwnerID = s.id(), s.users[f[0]].ID
		return tx.InsertDraft(&d)
	})
	return nil
}

// parts splits a text; none for "".
func parts(text, sep string) []string {
	out := []string{}
	for p := range strings.SplitSeq(text, sep) {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// audience returns the people and groups that a text names, in the order of the
// ids.
func (s *seeder) audience(text string) (a store.Audience) {
	for _, name := range parts(text, ";") {
		if id := s.groups[name]; id != "" {
			a.ConversationIDs = append(a.ConversationIDs, id)
		} else {
			a.UserIDs = append(a.UserIDs, s.users[name].ID)
		}
	}
	slices.Sort(a.UserIDs)
	slices.Sort(a.ConversationIDs)
	return a
}

// story adds the steps of a Story.
func (s *seeder) story(f []string) error {
	at, err := s.ago(f[2])
	if err != nil {
		return err
	}
	until, err := s.until(f[3])
	if err != nil {
		return err
	}
	st := &store.Story{Text: f[6], Status: f[5], StoryExpiresAt: until, SearchExpiresAt: until}
	st.Intent = store.Intent{Kind: "offer", Terms: f[6], Seeks: []string{}, Brings: []string{}, MatchingMode: "fulfillment", CloseOnConnect: true, Status: "paused", ExpiresAt: until}
	s.stories[f[0]] = st
	s.at(at, func(tx *store.Tx) error {
		st.ID, st.OwnerID, st.Intent.ID, st.Audience = s.id(), s.users[f[1]].ID, s.id(), s.audience(f[4])
		st.Intent.OwnerID, st.Intent.Audience = st.OwnerID, st.Audience
		if err := tx.InsertIntent(&st.Intent, nil); err != nil {
			return err
		}
		return tx.InsertStory(st)
	})
	return nil
}

// publishRequest adds the step of a Story that a key asks its owner to publish.
func (s *seeder) publishRequest(f []string) error {
	until, err := s.until(f[4])
	if err != nil {
		return err
	}
	return s.request(f, "publish_story", func(g *store.Grant) (any, error) {
		a := s.audience(f[3])
		shown := social.Audience{UserIDs: append([]string{}, a.UserIDs...), ConversationIDs: append([]string{}, a.ConversationIDs...)}
		return social.StoryPublication(f[5], shown, until)
	})
}

// respondRequest adds the step of an answer to a Story that a key asks its owner
// to send.
func (s *seeder) respondRequest(f []string) error {
	return s.request(f, "respond_to_story", func(g *store.Grant) (any, error) {
		g.ObjectID = s.stories[f[3]].ID
		return social.Response{StoryID: g.ObjectID, Message: f[4]}, nil
	})
}

// request adds the step of what a key asks its owner to approve.
func (s *seeder) request(f []string, action string, payload func(*store.Grant) (any, error)) error {
	at, err := s.ago(f[2])
	if err != nil {
		return err
	}
	s.at(at, func(tx *store.Tx) error {
		k := s.keys[f[0]+" "+f[1]]
		secret := sha256.Sum256([]byte(s.id()))
		g := store.Grant{Hash: secret[:], UserID: k.UserID, KeyID: k.ID, AgentName: k.AgentName, Action: action, ExpiresAt: store.TimeOf(at.Add(social.GrantLife))}
		p, err := payload(&g)
		if err != nil {
			return err
		}
		if g.Payload, err = social.Canonical(p); err != nil {
			return err
		}
		return tx.InsertGrant(&g, 50)
	})
	return nil
}
