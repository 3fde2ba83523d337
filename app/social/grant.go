package social

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

const (
	activateDraft  = "activate_intent_draft"
	publishStory   = "publish_story"
	respondToStory = "respond_to_story"
)

const (
	// GrantLife is how long a grant can be used at most.
	GrantLife = 10 * time.Minute
	maxGrants = 50 // grants at once per key, and for all without a key; a new one ends the oldest
)

// Preview shows what an operation would do, with the grant to do exactly that once.
type Preview struct {
	ApprovalRequired bool           `json:"approvalRequired" doc:"Show the owner the payload, and repeat with confirm and the grant"`
	ApprovalGrant    string         `json:"approvalGrant" doc:"Works once, for 10 minutes at most: for the key that asked for it, or else for a session of the account"`
	Action           string         `json:"action" enum:"activate_intent_draft|publish_story|respond_to_story"`
	Payload          jsontext.Value `json:"payload" read:"own" format:"object" doc:"What will be done, in the grant's canonical form"`
	ExpiresAt        store.Time     `json:"expiresAt"`
}

type approval struct {
	action   string
	objectID string
	payload  any // a struct: what is approved, normalised
}

func (a *approval) canonical() (string, error) {
	b, err := json.Marshal(a.payload, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	v := jsontext.Value(b)
	err = v.Canonicalize()
	return string(v), err
}

// The grant expires at ends at the latest, unless ends is 0.
func (a *approval) preview(tx *store.Tx, by store.Viewer, ends store.Time) (*Preview, error) {
	payload, err := a.canonical()
	if err != nil {
		return nil, err
	}
	secret := core.NewSecret(32)
	g := store.Grant{
		Hash: hashOf(secret), UserID: by.UserID, KeyID: actingKey(by), Action: a.action, ObjectID: a.objectID, Payload: payload,
		ExpiresAt: tx.Reader.Now().Add(GrantLife),
	}
	if ends != 0 {
		g.ExpiresAt = min(g.ExpiresAt, ends)
	}
	if g.KeyID != "" {
		g.AgentName = by.AgentName
	}
	if err := tx.InsertGrant(&g, maxGrants); err != nil {
		return nil, err
	}
	return &Preview{
		ApprovalRequired: true, ApprovalGrant: secret, Action: a.action, Payload: jsontext.Value(payload), ExpiresAt: g.ExpiresAt,
	}, core.InboxChanged(tx, by.UserID)
}

// using returns the function that uses up a grant. Its error is the same whatever is wrong with the grant.
func (a *approval) using(by store.Viewer, grant string) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		g, err := tx.Grant(by, hashOf(grant))
		if errors.Is(err, store.ErrNoRow) {
			return errNoGrant()
		}
		if err != nil {
			return err
		}
		payload, err := a.canonical()
		if err != nil {
			return err
		}
		if g.KeyID != actingKey(by) || g.Action != a.action || g.ObjectID != a.objectID || g.Payload != payload {
			return errNoGrant()
		}
		return cmp.Or(tx.DeleteGrant(g.Hash), core.InboxChanged(tx, by.UserID))
	}
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func actingKey(by store.Viewer) string {
	if by.Kind == store.Agent {
		return by.KeyID
	}
	return ""
}

func errNoGrant() error {
	return core.New(core.Conflict, "approval_required",
		"This needs an approvalGrant for exactly this request, unused and not older than 10 minutes. Send the request with confirm false, have "+
			"its payload approved, and repeat it unchanged.")
}
