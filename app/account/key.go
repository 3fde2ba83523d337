package account

import (
	"cmp"
	"context"
	"slices"

	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

const (
	maxKeys      = 50
	maxKeysShown = 200 // in a list: all active ones and the newest revoked ones
)

// AgentKey describes a key for its owner. It does not contain the key itself.
type AgentKey struct {
	ID           string      `json:"id"`
	Name         string      `json:"name"`
	KeyPrefix    string      `json:"keyPrefix" doc:"The first eleven characters of the key, to identify it in a list."`
	Scopes       []string    `json:"scopes" enum:"read|write"`
	AgentName    *string     `json:"agentName"`
	AgentVersion *string     `json:"agentVersion"`
	CreatedAt    store.Time  `json:"createdAt"`
	LastUsedAt   *store.Time `json:"lastUsedAt"`
	ExpiresAt    *store.Time `json:"expiresAt"`
	RevokedAt    *store.Time `json:"revokedAt"`
	Bot          *KeyBot     `json:"bot" doc:"The bot as which the key acts; null if it acts as its owner."`
	LastUse      *KeyUse     `json:"lastUse" doc:"What the key was last used for; null if it was never used."`
}

// KeyBot is the bot that a key acts as.
type KeyBot struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	AvatarURL *string `json:"avatarUrl"`
}

// NewAgentKey is an AgentKey with the key itself, which is returned only once.
type NewAgentKey struct {
	AgentKey
	Key string `json:"key"`
}

// The first of uses is the last use of the key.
func agentKeyOf(k store.Key, uses []store.KeyUse) AgentKey {
	out := AgentKey{
		ID: k.ID, Name: k.Name, KeyPrefix: k.Prefix, AgentName: core.OrNil(k.AgentName), AgentVersion: core.OrNil(k.AgentVersion),
		CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt.Ptr(), ExpiresAt: k.ExpiresAt.Ptr(), RevokedAt: k.RevokedAt.Ptr(),
	}
	if k.CanRead {
		out.Scopes = append(out.Scopes, "read")
	}
	if k.CanWrite {
		out.Scopes = append(out.Scopes, "write")
	}
	if k.Bot.ID != "" {
		out.Bot = &KeyBot{ID: k.Bot.ID, Name: k.Bot.Name, AvatarURL: core.OrNil(k.Bot.AvatarURL)}
	}
	if len(uses) > 0 {
		out.LastUse = new(keyUseOf(uses[0]))
	}
	return out
}

// CreateAgentKeyIn describes a new agent key.
type CreateAgentKeyIn struct {
	Name         string      `json:"name" required:"true" max:"80" line:"true" plain:"true"`
	Scopes       []string    `json:"scopes" min:"1" max:"2" enum:"read|write" doc:"Both if omitted."`
	AgentName    string      `json:"agentName" max:"80" line:"true" plain:"true" doc:"Shown with its messages. By default the key's name."`
	AgentVersion string      `json:"agentVersion" max:"40" line:"true" plain:"true"`
	ExpiresAt    *store.Time `json:"expiresAt" doc:"A time in the future. A key without it does not expire."`
	Bot          *KeyBotIn   `json:"bot" doc:"Has the key act as a bot instead of its owner."`
}

// KeyBotIn names the bot that a new key acts as: an existing one by its id, or a new one by its name.
type KeyBotIn struct {
	ID        string `json:"id" format:"uuid" doc:"A bot of the caller. If it is omitted, a new bot is created."`
	Name      string `json:"name" max:"80" line:"true" plain:"true" doc:"Name of a new bot. Defaults to the key's name."`
	AvatarURL string `json:"avatarUrl" max:"2048" format:"url" doc:"URL of a new bot's picture."`
}

func (s *Service) createAgentKey(tx *store.Tx, by store.Viewer, in CreateAgentKeyIn) (out NewAgentKey, err error) {
	k := store.Key{Kind: "agent", Name: in.Name, AgentName: in.AgentName, AgentVersion: in.AgentVersion}
	if in.ExpiresAt != nil {
		if k.ExpiresAt = *in.ExpiresAt; k.ExpiresAt <= tx.In(0) {
			return out, core.InvalidField("expiresAt", "expiresAt must be in the future. Omit it for a key that does not expire.")
		}
	}
	k.CanRead, k.CanWrite = scopes(in.Scopes)
	return createKey(tx, by, k, agentPrefix, in.Bot)
}

func scopes(list []string) (read, write bool) {
	return len(list) == 0 || slices.Contains(list, "read"), len(list) == 0 || slices.Contains(list, "write")
}

// UpdateAgentKeyIn has the fields of a key to change. Omitted fields keep their value.
type UpdateAgentKeyIn struct {
	ID     string             `path:"id" json:"-"`
	Name   core.Opt[string]   `json:"name,omitzero" notnull:"true" min:"1" max:"80" line:"true" plain:"true"`
	Scopes core.Opt[[]string] `json:"scopes,omitzero" notnull:"true" min:"1" max:"2" enum:"read|write"`

	AgentName    core.Opt[string] `json:"agentName,omitzero" max:"80" line:"true" plain:"true" doc:"Null or empty removes it."`
	AgentVersion core.Opt[string] `json:"agentVersion,omitzero" max:"40" line:"true" plain:"true" doc:"Null or empty removes it."`
}

func (in *UpdateAgentKeyIn) apply(k *store.Key) {
	in.Name.Into(&k.Name)
	if in.Scopes.Set {
		k.CanRead, k.CanWrite = scopes(in.Scopes.V)
	}
	in.AgentName.Into(&k.AgentName)
	in.AgentVersion.Into(&k.AgentVersion)
}

func (s *Service) updateAgentKey(ctx context.Context, by store.Viewer, in UpdateAgentKeyIn) (out AgentKey, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		k, err := tx.Key(by, "agent", in.ID)
		if err == nil && k.RevokedAt != 0 {
			err = core.New(core.Conflict, "key_revoked", "This key has been revoked. Create a new one.")
		}
		if err != nil {
			return err
		}
		was := k
		in.apply(&k)
		uses, err := tx.KeyUses(by, k.ID)
		if err == nil && (k.CanRead && !was.CanRead || k.CanWrite && !was.CanWrite) {
			err = op.CheckLasting(&tx.Reader, by, "the scopes")
		}
		if err != nil {
			return err
		}
		out = agentKeyOf(k, uses)
		if k == was {
			return nil
		}
		err = tx.UpdateKey(k)
		if err == nil && was.CanWrite && !k.CanWrite { // its open questions to the owner need write access
			err = s.ended(tx, store.Ended{KeysOf: k.UserID, KeyID: k.ID})
		}
		if err == nil && (k.CanRead != was.CanRead || k.CanWrite != was.CanWrite) {
			err = emitAuthChanged(tx, k.UserID, k.ID)
		}
		return err
	})
	return out, core.Found(err)
}

// CreateListKeyIn describes a new personal key.
type CreateListKeyIn struct {
	Name string `json:"name" required:"true" max:"80" line:"true" plain:"true"`
}

func (s *Service) createListKey(tx *store.Tx, by store.Viewer, in CreateListKeyIn) (NewAgentKey, error) {
	return createKey(tx, by, store.Key{Kind: "list", Name: in.Name, CanRead: true}, listPrefix, nil)
}

func (s *Service) listAgentKeys(ctx context.Context, by store.Viewer, _ core.None) ([]AgentKey, error) {
	return s.listKeys(ctx, by, "agent")
}

func (s *Service) listListKeys(ctx context.Context, by store.Viewer, _ core.None) ([]AgentKey, error) {
	return s.listKeys(ctx, by, "list")
}

func (s *Service) listKeys(ctx context.Context, by store.Viewer, kind string) (out []AgentKey, err error) {
	s.flushForReader(ctx)
	err = s.db.Read(ctx, func(r *store.Reader) error {
		keys, err := r.Keys(by, kind, maxKeysShown)
		if err != nil {
			return err
		}
		last, err := r.LastKeyUses(by, kind)
		byKey := map[string][]store.KeyUse{}
		for _, u := range last {
			byKey[u.KeyID] = append(byKey[u.KeyID], u)
		}
		out = core.Map(keys, func(k store.Key) AgentKey { return agentKeyOf(k, byKey[k.ID]) })
		return err
	})
	return out, err
}

func createKey(tx *store.Tx, by store.Viewer, k store.Key, prefix string, as *KeyBotIn) (out NewAgentKey, err error) {
	out.Key = newKey(prefix)
	k.UserID, k.Prefix, k.Hash = by.UserID, out.Key[:shownPrefix], core.Digest(out.Key)
	n, err := tx.LiveKeys(by.UserID, k.Kind)
	err = cmp.Or(err, op.CheckLasting(&tx.Reader, by, "a key"))
	if err == nil && n >= maxKeys {
		err = core.New(core.Conflict, "too_many_keys",
			"You have %d keys, which is the maximum. Revoke one you no longer need, then try again.", n)
	}
	if err == nil && as != nil {
		k.UserID, k.Bot, err = botFor(tx, by, *as, k.Name)
	}
	if err != nil {
		return out, err
	}
	k, err = tx.InsertKey(k)
	out.AgentKey = agentKeyOf(k, nil)
	return out, err
}

func (s *Service) revokeAgentKey(tx *store.Tx, by store.Viewer, in core.ByID) (core.None, error) {
	return s.revokeKey(tx, by, "agent", in.ID)
}

func (s *Service) revokeListKey(tx *store.Tx, by store.Viewer, in core.ByID) (core.None, error) {
	return s.revokeKey(tx, by, "list", in.ID)
}

func (s *Service) revokeKey(tx *store.Tx, by store.Viewer, kind, id string) (out core.None, err error) {
	k, err := tx.Key(by, kind, id)
	if err != nil || k.RevokedAt != 0 {
		return out, err
	}
	return out, cmp.Or(tx.RevokeKey(k.UserID, id), s.ended(tx, store.Ended{KeysOf: k.UserID, KeyID: id}), emitAuthChanged(tx, k.UserID, id))
}
