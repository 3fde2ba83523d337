package lane

import (
	"cmp"
	"slices"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

const (
	maxAgents       = 10 // for a post
	requestLifetime = 24 * time.Hour
)

// AskAgentsOut is how many agents were asked.
type AskAgentsOut struct {
	Queued    int `json:"queued" doc:"Requests that were made now"`
	Available int `json:"available" read:"others" doc:"Agents that can be asked about this post, at most 10, also those that were"`
}

// askAgents asks of each of up to ten members the oldest key that receives requests, but not the caller's own. An
// account is asked once about a revision of a post. If the limit leaves room for some only, some are asked.
func (s *Service) askAgents(tx *store.Tx, by store.Viewer, in ContextPostIn) (out AskAgentsOut, err error) {
	p, err := livePost(&tx.Reader, by, in.ConversationID, in.PostID)
	if err != nil {
		return out, err
	}
	agents, err := tx.ContextAgents(by, &p, maxAgents)
	if err != nil {
		return out, err
	}
	if out.Available = len(agents); out.Available == 0 {
		return out, core.New(core.Conflict, "no_agents",
			"No agent in this conversation receives requests. Members let their agents do so in their settings, under API keys.")
	}
	agents = slices.DeleteFunc(agents, func(a store.ContextAgent) bool { return a.Asked })
	for _, a := range agents {
		err := limit.AgentsAsked.CallStored(tx, by)
		if core.IsKind(err, core.TooMany) && out.Queued > 0 {
			return out, nil
		}
		if err = cmp.Or(err, ask(tx, by, &p, a)); err != nil {
			return out, err
		}
		out.Queued++
	}
	return out, nil
}

func ask(tx *store.Tx, by store.Viewer, p *store.ContextPost, a store.ContextAgent) error {
	q := store.ContextRequest{
		PostID: p.ID, ConversationID: p.ConversationID, SourceRevision: p.Revision, RequesterID: by.UserID, OwnerID: a.OwnerID, KeyID: a.KeyID,
		ExpiresAt: tx.Reader.Now().Add(requestLifetime),
	}
	return cmp.Or(tx.InsertContextRequest(&q), tx.Emit(store.Event{Topic: a.OwnerID, Kind: contextRequested, ObjectID: q.ID}))
}

// ContextPreferenceIn is the input of GetContextPreference.
type ContextPreferenceIn struct {
	KeyID string `query:"keyId" json:"-" format:"uuid" doc:"An agent key of the caller's; a key that asks about itself can leave it out"`
}

// SetContextPreferenceIn is the input of SetContextPreference.
type SetContextPreferenceIn struct {
	KeyID   string `json:"keyId" format:"uuid" doc:"An agent key of the caller's; a key that sets its own can leave it out"`
	Enabled *bool  `json:"enabled" required:"true"`
}

// ContextPreferenceOut is whether a key receives requests.
type ContextPreferenceOut struct {
	Enabled bool `json:"enabled"`
}

func (s *Service) getContextPreference(r *store.Reader, by store.Viewer, in ContextPreferenceIn) (out ContextPreferenceOut, err error) {
	id, err := preferredKey(by, in.KeyID)
	if err != nil {
		return out, err
	}
	k, err := r.ReceivingKey(by, id)
	return ContextPreferenceOut{k.Enabled && k.Usable}, err
}

// A key receives no requests at first. A person decides for all keys of theirs and their bots.
func (s *Service) setContextPreference(tx *store.Tx, by store.Viewer, in SetContextPreferenceIn) (out ContextPreferenceOut, err error) {
	id, err := preferredKey(by, in.KeyID)
	if err != nil {
		return out, err
	}
	k, err := tx.ReceivingKey(by, id)
	if err == nil && *in.Enabled && !k.Usable {
		err = core.New(core.Conflict, "missing_scope",
			"Only a key with the scopes read and write can receive requests. Add the scope to it first.")
	}
	if err != nil {
		return out, err
	}
	return ContextPreferenceOut{*in.Enabled}, tx.SetReceiving(id, *in.Enabled)
}

func preferredKey(by store.Viewer, id string) (string, error) {
	switch {
	case by.Direct() && id == "":
		return "", core.InvalidField("keyId", "keyId is required: send the id of an agent key of yours.")
	case by.Direct():
		return id, nil
	case by.KeyID == "":
		return "", core.ErrHumanOnly
	case id != "" && id != by.KeyID:
		return "", core.New(core.Forbidden, "own_key_only", "A key can only decide for itself whether it receives requests.")
	}
	return by.KeyID, nil
}
