package account

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// RegisterAgentIn describes a new account for an agent.
type RegisterAgentIn struct {
	Email     string `json:"email" required:"true" max:"254" format:"email" doc:"It is not verified. Whoever signs in with a link sent to it takes the account over, and ends its password and keys."`
	Password  string `json:"password" required:"true" min:"12" max:"1000" raw:"true"`
	Name      string `json:"name" max:"80" line:"true" plain:"true" doc:"agent- and six characters if omitted."`
	AgentKind string `json:"agent_kind" max:"80" line:"true" plain:"true" doc:"What the agent is, such as its product's name."`
	Purpose   string `json:"purpose" max:"80" line:"true" plain:"true" doc:"What it is for. It becomes the name of the key."`
}

// RegisterAgentOut is an account with its personal key, which is shown once.
type RegisterAgentOut struct {
	UserID string `json:"user_id" format:"uuid"`
	APIKey string `json:"api_key" doc:"A personal key (cl_) that reads lists, and writes them over MCP. Shown once."`
	Prefix string `json:"prefix" doc:"The first eleven characters of the key, to identify it in a list."`
}

// SignedIn returns the account.
func (o *RegisterAgentOut) SignedIn() string { return o.UserID }

func (s *Service) registerAgent(ctx context.Context, by store.Viewer, in RegisterAgentIn) (out RegisterAgentOut, err error) {
	// Counted first, so that it also bounds how many addresses can be tried.
	if err := s.db.Write(ctx, func(tx *store.Tx) error {
		closed, err := s.closed(&tx.Reader)
		if err != nil {
			return err
		}
		if closed {
			return core.New(core.Forbidden, "signup_closed", "This server is open to invited people only. Ask its administrators for an account.")
		}
		return limit.Registrations.UseStored(tx, by.IP, 1)
	}); err != nil {
		return out, err
	}
	hash, err := s.HashPassword(ctx, in.Password)
	if err != nil {
		return out, err
	}
	u := store.User{Email: in.Email, Name: in.Name, PasswordHash: hash, SignupProvider: "register-agent"}
	if u.Name == "" {
		u.Name = "agent-" + strings.ToLower(newKey("")[:6])
	}
	secret := newKey(listPrefix)
	key := store.Key{Kind: "list", Name: cmp.Or(in.Purpose, "first key"), CanRead: true, AgentName: in.AgentKind,
		Prefix: secret[:shownPrefix], Hash: core.Digest(secret)}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		added, err := tx.InsertUser(u)
		if errors.Is(err, store.ErrTaken) {
			return core.New(core.Conflict, "address_taken", "This address has an account. Sign in to it, and create a key at %s/settings/api-keys.",
				s.base)
		}
		if err != nil {
			return err
		}
		key.UserID = added.ID
		_, err = tx.InsertKey(key)
		out = RegisterAgentOut{UserID: added.ID, APIKey: secret, Prefix: key.Prefix}
		return err
	})
	return out, err
}
