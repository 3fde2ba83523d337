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
	Bot                         string // name of its bot
	LastUse                     *account.KeyUse
	Receiving                   *receivingView // nil if it cannot receive requests
	CanEdit                     bool
	Form                        Form
}

type secretView struct{ Name, Secret string }

type botView struct {
	Person
	CreatedAt store.Time
	Form      Form
}

type keysView struct {
	Frame
	Tab     string
	Keys    []keyView
	Bots    []botView
	Form    Form
	Created *secretView
}

func newKeyForm() Form { return newForm("scopes", "read", "days", "90") }

func keys(s *site, v *visit) error {
	return s.showKeys(v, http.StatusOK, keysView{Form: newKeyForm()}, "", Form{})
}

// showKeys shows the person's keys. edit is the failed form of the key with the id editing.
func (s *site) showKeys(v *visit, code int, view keysView, editing string, edit Form) (err error) {
	view.Frame = s.frame(v, "API keys", "settings", "")
	view.Tab = "keys"
	if view.Keys, err = s.readKeys(v); err != nil {
		return err
	}
	if view.Bots, err = s.readBots(v, editing, edit); err != nil {
		return err
	}
	for i := range view.Keys {
		k := &view.Keys[i]
		if k.ID == editing {
			k.Form = edit
		}
		k.Form.Prefix = fmt.Sprintf("key%d-", i)
	}
	return s.show(v, code, view)
}

func (s *site) readKeys(v *visit) ([]keyView, error) {
	agent, err := s.Account.ListAgentKeys.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return nil, err
	}
	personal, err := s.Account.ListListKeys.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return nil, err
	}
	var out []keyView
	receiving, err := s.receivingKeys(v)
	if err != nil {
		return nil, err
	}
	now := store.TimeOf(s.Now())
	for _, k := range agent {
		view := viewOfKey(k, "agent", now)
		if view.CanEdit {
			view.Receiving = receiving[k.ID]
		}
		out = append(out, view)
	}
	for _, k := range personal {
		out = append(out, viewOfKey(k, "list", now))
	}
	return out, nil
}

func viewOfKey(k account.AgentKey, kind string, now store.Time) keyView {
	out := keyView{ID: k.ID, Name: k.Name, Prefix: k.KeyPrefix, AgentName: core.OrZero(k.AgentName), Kind: kind, Scopes: k.Scopes,
		CreatedAt: k.CreatedAt, LastUsedAt: core.OrZero(k.LastUsedAt), ExpiresAt: core.OrZero(k.ExpiresAt), Form: newForm("name", k.Name)}
	out.Form.Values["scopes"] = k.Scopes
	out.LastUse = k.LastUse
	if k.Bot != nil {
		out.Bot = k.Bot.Name
	}
	switch {
	case k.RevokedAt != nil:
		out.Ended = "revoked"
	case out.ExpiresAt != 0 && out.ExpiresAt <= now:
		out.Ended = "expired"
	}
	out.CanEdit = kind == "agent" && out.Ended == ""
	return out
}

func keyCreate(s *site, v *visit) error {
	out, err := s.createKey(v)
	if err != nil {
		return s.refuse(v, []string{"name", "scopes", "days", "agentName", "bot.name"}, err, func(f Form) error {
			return s.showKeys(v, f.status(), keysView{Form: f}, "", Form{})
		})
	}
	// No redirect: no address may contain the key.
	view := keysView{Form: newKeyForm(), Created: &secretView{Name: out.Name, Secret: out.Key}}
	return s.showKeys(v, http.StatusCreated, view, "", Form{})
}

func (s *site) createKey(v *visit) (out account.NewAgentKey, err error) {
	if v.form("kind") == "list" {
		return s.Account.CreateListKey.Call(v.ctx(), v.by, account.CreateListKeyIn{Name: v.form("name")})
	}
	in := account.CreateAgentKeyIn{Name: v.form("name"), Scopes: v.r.PostForm["scopes"], AgentName: v.form("agentName")}
	if len(in.Scopes) == 0 {
		return out, errNoScope
	}
	if v.form("days") != "" {
		days, err := strconv.Atoi(v.form("days"))
		if err != nil || days < 1 || days > 3660 {
			return out, core.InvalidField("days", "Choose when the key expires.")
		}
		in.ExpiresAt = store.TimeOf(s.Now()).Add(time.Duration(days) * 24 * time.Hour).Ptr()
	}
	switch as := v.form("as"); {
	case as == "new":
		in.Bot = &account.KeyBotIn{Name: v.form("bot.name")}
	case as != "":
		in.Bot = &account.KeyBotIn{ID: as}
	}
	return s.Account.CreateAgentKey.Call(v.ctx(), v.by, in)
}

// errNoScope refuses a form without a tick: on the wire, no scopes mean both.
var errNoScope = core.InvalidField("scopes", "Choose at least one permission.")

func keyUpdate(s *site, v *visit) error {
	id := v.id("id")
	update := func() (string, error) {
		all, err := s.readKeys(v)
		if err != nil {
			return "", err
		}
		var stored Form
		for _, k := range all {
			if k.ID == id {
				stored = k.Form
			}
		}
		e, err := v.edits(stored)
		if err != nil {
			return "", err
		}
		in := account.UpdateAgentKeyIn{ID: id, Name: e.text("name")}
		if e.has("scopes") {
			in.Scopes = core.Some(v.r.PostForm["scopes"])
		}
		if len(v.r.PostForm["scopes"]) == 0 {
			return "", errNoScope
		}
		_, err = s.Account.UpdateAgentKey.Call(v.ctx(), v.by, in)
		return "/settings/api-keys?done=saved", err
	}
	return s.submit(v, []string{"name", "scopes"}, update, func(f Form) error {
		return s.showKeys(v, f.status(), keysView{Form: newKeyForm()}, id, f)
	})
}

func keyRevoke(s *site, v *visit) error {
	var err error
	id := v.id("id")
	if v.form("kind") == "list" {
		_, err = s.Account.RevokeListKey.Call(v.ctx(), v.by, account.KeyIn{ID: id})
	} else {
		_, err = s.Account.RevokeAgentKey.Call(v.ctx(), v.by, account.KeyIn{ID: id})
	}
	return v.next("/settings/api-keys?done=revoked", err)
}
