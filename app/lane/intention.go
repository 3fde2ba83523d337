package lane

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// ContextIntention is an ask or an offer that its author tracks, as they see it.
type ContextIntention struct {
	IntentID       string          `json:"intentId"`
	Kind           string          `json:"kind" enum:"ask|offer"`
	Terms          string          `json:"terms"`
	LifecycleState string          `json:"lifecycleState" enum:"open|fulfilled|withdrawn"`
	Revision       int             `json:"revision" doc:"Raised by every change of the state"`
	Searching      bool            `json:"searching" doc:"Others can be matched with the intent. Never for one that was made of a post"`
	Posts          []IntentionPost `json:"posts"`
	CreatedAt      store.Time      `json:"createdAt"`
	UpdatedAt      store.Time      `json:"updatedAt"`
}

// IntentionPost is a post of an intention.
type IntentionPost struct {
	ConversationID string `json:"conversationId"`
	PostID         string `json:"postId"`
	SourceRevision int    `json:"sourceRevision" doc:"Of the post when it was tracked"`
	SourceChanged  bool   `json:"sourceChanged"`
	IsDeleted      bool   `json:"isDeleted"`
}

func intentions(r *store.Reader, by store.Viewer, rows []store.Intention) ([]ContextIntention, error) {
	out := make([]ContextIntention, len(rows))
	at, ids := map[string]int{}, make([]string, len(rows))
	for i, n := range rows {
		id := n.Intent.ID
		at[id], ids[i] = i, id
		out[i] = ContextIntention{
			IntentID: id, Kind: n.Intent.Kind, Terms: n.Intent.Terms, LifecycleState: n.State, Revision: n.Revision,
			Searching: n.Intent.Listed(r.Now()), CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt,
		}
	}
	posts, err := r.IntentionPosts(by, ids...)
	for _, p := range posts {
		n := &out[at[p.IntentID]]
		n.Posts = append(n.Posts, IntentionPost{
			ConversationID: p.ConversationID, PostID: p.PostID, SourceRevision: p.SourceRevision, SourceChanged: p.SourceRevision != p.Revision,
			IsDeleted: p.DeletedAt != 0,
		})
	}
	return out, err
}

func intention(r *store.Reader, by store.Viewer, n store.Intention) (ContextIntention, error) {
	out, err := intentions(r, by, []store.Intention{n})
	return out[0], err
}

// ListIntentionsOut has the caller's intentions, the newest first.
type ListIntentionsOut struct {
	Intentions []ContextIntention `json:"intentions"`
}

const (
	maxIntentions     = 200
	maxIntentionPosts = 50 // each is told of a change of the state
)

func (s *Service) listIntentions(r *store.Reader, by store.Viewer, _ core.None) (out ListIntentionsOut, err error) {
	rows, err := r.Intentions(by, 0, maxIntentions)
	if err == nil {
		out.Intentions, err = intentions(r, by, rows)
	}
	return out, err
}

// IntentionIn names an intention.
type IntentionIn struct {
	ID string `path:"id" json:"-" doc:"Of its intent"`
}

func (s *Service) getIntention(r *store.Reader, by store.Viewer, in IntentionIn) (out ContextIntention, err error) {
	n, err := r.Intention(by, in.ID)
	if err != nil {
		return out, err
	}
	return intention(r, by, n)
}

// TrackIntentionIn makes an ask or an offer of a post.
type TrackIntentionIn struct {
	ConversationID  string `path:"id" json:"-"`
	PostID          string `path:"postId" json:"-"`
	SourceRevision  *int   `json:"sourceRevision" required:"true" min:"1" doc:"Of the post that is meant"`
	ClientRequestID string `json:"clientRequestId" required:"true" min:"1" max:"200" doc:"Yours to choose; the same in every attempt"`
	IntentID        string `json:"intentId" format:"uuid" doc:"The ask or offer that it is about; by default one that is never matched"`
}

// trackIntention shows everybody who sees a post of the caller, an ask or an offer, whether it is still open. Repeating
// the request changes nothing.
func (s *Service) trackIntention(tx *store.Tx, by store.Viewer, in TrackIntentionIn) (out ContextIntention, err error) {
	p, err := livePost(&tx.Reader, by, in.ConversationID, in.PostID)
	if err == nil && p.AuthorID != by.UserID {
		err = errNotYourPost()
	}
	if err != nil {
		return out, err
	}
	hash := core.RequestHash(in.ClientRequestID, strconv.Itoa(*in.SourceRevision), in.IntentID)
	if id := p.Intention.IntentID; id != "" {
		if !p.SameTracking(hash) {
			return out, conflict("already_tracked", "This post is tracked already. Change the state of its intention instead.", postOf(p))
		}
		return s.getIntention(&tx.Reader, by, IntentionIn{id})
	}
	n, err := s.begin(tx, by, &p, in)
	if err == nil {
		err = cmp.Or(tx.TrackPost(&p, &n, hash), contextChanged(tx, by, p.ConversationID, p.ID))
	}
	if err != nil {
		return out, err
	}
	return intention(&tx.Reader, by, n)
}

// begin returns the intention that a post is to be tracked as, which it makes if there is none.
func (s *Service) begin(tx *store.Tx, by store.Viewer, p *store.ContextPost, in TrackIntentionIn) (n store.Intention, err error) {
	switch {
	case p.Kind == "note":
		return n, core.New(core.Invalid, "invalid_input", "A note cannot be tracked. Post an ask or an offer.")
	case p.Revision != *in.SourceRevision:
		return n, revisionMismatch(*p)
	case in.IntentID == "":
		n = store.Intention{State: "open", Born: true, Intent: bornIntent(p)}
		return n, cmp.Or(tx.InsertIntent(&n.Intent), tx.InsertIntention(&n))
	}
	i, err := tx.Intent(by, in.IntentID)
	if err != nil {
		return n, err
	}
	if i.Kind != p.Kind {
		return n, core.InvalidField("intentId", "The post and the intent must both be an ask or both an offer.")
	}
	n, err = tx.Intention(by, i.ID)
	if errors.Is(err, store.ErrNoRow) && (i.Status == "active" || i.Status == "paused") {
		n = store.Intention{State: "open", Intent: i}
		return n, tx.InsertIntention(&n)
	}
	if err == nil && n.State != "open" || errors.Is(err, store.ErrNoRow) {
		err = core.New(core.Conflict, "intent_closed", "This ask or offer is closed. Choose a different ask or offer, or leave intentId out.")
	}
	if err != nil {
		return n, err
	}
	posts, err := tx.IntentionPosts(by, i.ID)
	posts = slices.DeleteFunc(posts, func(p store.IntentionPost) bool { return p.DeletedAt != 0 })
	if err == nil && len(posts) >= maxIntentionPosts {
		err = core.New(core.Conflict, "too_many_posts",
			"An ask or offer is tracked in at most %d posts. Choose a different ask or offer, or leave intentId out.", maxIntentionPosts)
	}
	return n, err
}

// bornIntent returns the intent that is made of a post. It is paused, and nothing makes it active, so that it is never
// matched.
func bornIntent(p *store.ContextPost) store.Intent {
	terms := core.FirstRunes(strings.Join(strings.Fields(p.Text), " "), 500)
	i := store.Intent{
		ID: store.NewID(), OwnerID: p.AuthorID, Kind: p.Kind, Terms: terms, MatchingMode: "fulfillment", Status: "paused", Seeks: []string{},
		Brings: []string{},
	}
	if p.Kind == "ask" {
		i.Seeks = []string{terms}
	} else {
		i.Brings = []string{terms}
	}
	return i
}

// UpdateIntentionIn changes the state of an intention.
type UpdateIntentionIn struct {
	ID               string `path:"id" json:"-" doc:"Of its intent"`
	ExpectedRevision *int   `json:"expectedRevision" required:"true" min:"1" doc:"Of the intention that is meant"`
	LifecycleState   string `json:"lifecycleState" required:"true" enum:"open|fulfilled|withdrawn"`
}

// updateIntention changes the state that all posts of an intention show. Closing it also withdraws the intent and its
// Story. Opening it again opens the posts only.
func (s *Service) updateIntention(tx *store.Tx, by store.Viewer, in UpdateIntentionIn) (out ContextIntention, err error) {
	n, err := tx.Intention(by, in.ID)
	meanwhile := n.Revision != *in.ExpectedRevision
	if err == nil && !meanwhile && n.State != in.LifecycleState {
		err = s.setLifecycle(tx, by, &n, in.LifecycleState)
	}
	if err != nil {
		return out, err
	}
	if out, err = intention(&tx.Reader, by, n); err == nil && meanwhile {
		err = conflict("revision_mismatch", "The state was changed meanwhile. current has it as it is now.", out)
	}
	return out, err
}

func (s *Service) setLifecycle(tx *store.Tx, by store.Viewer, n *store.Intention, state string) error {
	if state != "open" {
		if err := s.CloseIntent(tx, by, &n.Intent); err != nil {
			return err
		}
	}
	n.State = state
	posts, err := tx.IntentionPosts(by, n.Intent.ID)
	for _, p := range posts {
		if p.DeletedAt == 0 {
			err = cmp.Or(err, contextChanged(tx, by, p.ConversationID, p.PostID))
		}
	}
	return cmp.Or(err, tx.UpdateIntention(n))
}
