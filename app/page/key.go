package page

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/store"
)

type keyView struct {
	ID, Name, Prefix, AgentName string
	Kind                        string // "agent" or "list"
	Scopes                      []string
	CreatedAt                   store.Time
	LastUsedAt, ExpiresAt       store.Time
	Ended                       string // "revoked" or "expired"
	CanEdit                     bool
	Form                        Form
}

// secretView is a key just made: the only time it is shown.
type secretView struct{ Name, Secret string }

type keysView struct {
	Frame
	Tab     string
	Keys    []keyView
	Form    Form
	Created *secretView
}

func keys(s *site, v *visit) error {
	return s.showKeys(v, http.StatusOK, keysView{Form: newForm("scopes", "read", "days", "90")}, "", nil)
}

// showKeys answers with all keys of the person, and with the form of the key
// editing that was not right.
func (s *site) showKeys(v *visit, code int, view keysView, editing string, form *Form) (err error) {
	if view.Frame, err = s.frame(v, "Keys", "settings", ""); err != nil {
		return err
	}
	view.Tab = "keys"
	agent, err := s.Account.ListAgentKeys.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	personal, err := s.Account.ListListKeys.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	now := store.TimeOf(s.Now())
	for _, k := range agent {
		view.Keys = append(view.Keys, viewOfKey(k, "agent", now))
	}
	for _, k := range personal {
		view.Keys = append(view.Keys, viewOfKey(k, "list", now))
	}
	for i := range view.Keys {
		k := &view.Keys[i]
		if k.ID == editing {
			k.Form = *form
		}
		k.Form.Prefix = fmt.Sprintf("key%d-", i)
	}
	return s.show(v, code, "settings_keys", view)
}

func viewOfKey(k account.AgentKey, kind string, now store.Time) keyView {
	out := keyView{ID: k.ID, Name: k.Name, Prefix: k.KeyPrefix, AgentName: text(k.AgentName), Kind: kind, Scopes: k.Scopes,
		CreatedAt: k.CreatedAt, LastUsedAt: at(k.LastUsedAt), ExpiresAt: at(k.ExpiresAt), Form: newForm("name", k.Name)}
	out.Form.Values["scopes"] = k.Scopes
	switch {
	case k.RevokedAt != nil:
		out.Ended = "revoked"
	case out.ExpiresAt != 0 && out.ExpiresAt <= now:
		out.Ended = "expired"
	}
	out.CanEdit = kind == "agent" && out.Ended == ""
	return out
}

func at(t *store.Time) store.Time {
	if t == nil {
		return 0
	}
	return *t
}

func keyCreate(s *site, v *visit) error {
	out, err := s.createKey(v)
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err, "name", "scopes", "agentName")
		return s.showKeys(v, form.status(), keysView{Form: form}, "", nil)
	}
	if err != nil {
		return err
	}
	// Not a redirect: the key must stand in no address, and is shown once.
	view := keysView{Form: newForm("scopes", "read", "days", "90"), Created: &secretView{Name: out.Name, Secret: out.Key}}
	return s.showKeys(v, http.StatusCreated, view, "", nil)
}

func (s *site) createKey(v *visit) (out account.NewAgentKey, err error) {
	if v.form("kind") == "list" {
		return s.Account.CreateListKey.Call(v.ctx(), v.by, account.CreateListKeyIn{Name: v.form("name")})
	}
	in := account.CreateAgentKeyIn{Name: v.form("name"), Scopes: v.r.PostForm["scopes"], AgentName: v.form("agentName")}
	if len(in.Scopes) == 0 {
		return out, errNoScope
	}
	if days, err := strconv.Atoi(v.form("days")); err == nil && days > 0 && days <= 3660 {
		in.ExpiresAt = store.TimeOf(s.Now()).Add(time.Duration(days) * 24 * time.Hour).Ptr()
	}
	return s.Account.CreateAgentKey.Call(v.ctx(), v.by, in)
}

// errNoScope is for a form without a tick: over the wire no scopes are both.
var errNoScope = core.InvalidField("scopes", "Tick what the key may do: read, write, or both.")

func keyUpdate(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	in := account.UpdateAgentKeyIn{ID: id, Name: core.Some(v.form("name")), Scopes: core.Some(v.r.PostForm["scopes"])}
	if len(in.Scopes.V) == 0 {
		err = errNoScope
	} else {
		_, err = s.Account.UpdateAgentKey.Call(v.ctx(), v.by, in)
	}
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err, "name", "scopes")
		return s.showKeys(v, form.status(), keysView{Form: newForm("scopes", "read", "days", "90")}, id, &form)
	}
	if err != nil {
		return err
	}
	return v.seeOther("/settings/api-keys?done=saved")
}

func keyRevoke(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if v.form("kind") == "list" {
		_, err = s.Account.RevokeListKey.Call(v.ctx(), v.by, account.KeyIn{ID: id})
	} else {
		_, err = s.Account.RevokeAgentKey.Call(v.ctx(), v.by, account.KeyIn{ID: id})
	}
	if err != nil {
		return err
	}
	return v.seeOther("/settings/api-keys?done=revoked")
}
