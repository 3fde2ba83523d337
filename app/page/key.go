package page

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

type keyView struct {
	account.AgentKey
	Kind      string             // "agent" or "list"
	Ended     string             // "revoked" or "expired"
	Receiving *lane.ReceivingKey // nil if it cannot receive requests
	CanEdit   bool
	Form      Form
}

type botView struct {
	Person
	CreatedAt store.Time
	Form      Form
}

type keysView struct {
	Frame
	Keys    []keyView
	Bots    []botView
	Form    Form
	Created *account.NewAgentKey
}

func (s *site) showKeys(v *visit, created *account.NewAgentKey) error {
	view := keysView{Form: v.filledAt("/api-keys", newForm("scopes", "read", "days", "90")), Created: created,
		Keys: loaded(v, s.readKeys), Bots: loaded(v, s.readBots)}
	for i := range view.Keys {
		k := &view.Keys[i]
		if k.ID == v.id("id") {
			k.Form = v.filled(k.Form)
		}
		k.Form.Prefix = fmt.Sprintf("key%d-", i)
	}
	for i := range view.Bots {
		b := &view.Bots[i]
		if b.ID == v.id("id") {
			b.Form = v.filled(b.Form).with("name", b.Name, "avatarUrl", b.Form.Get("avatarUrl"))
		}
		b.Form.Prefix = fmt.Sprintf("bot%d-", i)
	}
	if created != nil {
		v.status = http.StatusCreated
	}
	return s.page(v, "API keys", "settings/keys", "", &view)
}

func (s *site) readKeys(v *visit) ([]keyView, error) {
	agent, err := s.Account.ListAgentKeys.Call(v.ctx(), v.by, core.None{})
	personal, err2 := s.Account.ListListKeys.Call(v.ctx(), v.by, core.None{})
	receiving, err3 := s.receivingKeys(v)
	now := store.TimeOf(s.Now())
	var out []keyView
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
	return out, cmp.Or(err, err2, err3)
}

func viewOfKey(k account.AgentKey, kind string, now store.Time) keyView {
	out := keyView{AgentKey: k, Kind: kind, Form: newForm("name", k.Name)}
	out.Form.Values["scopes"] = k.Scopes
	switch {
	case k.RevokedAt != nil:
		out.Ended = "revoked"
	case k.ExpiresAt != nil && *k.ExpiresAt <= now:
		out.Ended = "expired"
	}
	out.CanEdit = kind == "agent" && out.Ended == ""
	return out
}

func (s *site) createKey(v *visit) (*account.NewAgentKey, error) {
	if v.form("kind") == "list" {
		out, err := s.Account.CreateListKey.Call(v.ctx(), v.by, account.CreateListKeyIn{Name: v.form("name")})
		return &out, err
	}
	in := account.CreateAgentKeyIn{Name: v.form("name"), Scopes: v.r.PostForm["scopes"], AgentName: v.form("agentName")}
	if len(in.Scopes) == 0 {
		return nil, errNoScope
	}
	if v.form("days") != "" {
		days, err := strconv.Atoi(v.form("days"))
		if err != nil || days < 1 || days > 3660 {
			return nil, core.InvalidField("days", "Choose when the key expires.")
		}
		in.ExpiresAt = store.TimeOf(s.Now()).Add(time.Duration(days) * 24 * time.Hour).Ptr()
	}
	switch as := v.form("as"); {
	case as == "new":
		in.Bot = &account.KeyBotIn{Name: v.form("bot.name")}
	case as != "":
		in.Bot = &account.KeyBotIn{ID: as}
	}
	out, err := s.Account.CreateAgentKey.Call(v.ctx(), v.by, in)
	return &out, err
}

// errNoScope refuses a form without a tick: on the wire, no scopes mean both.
var errNoScope = core.InvalidField("scopes", "Choose at least one permission.")

func (s *site) key(v *visit) (keyView, error) {
	all, err := s.readKeys(v)
	return pick(all, err, func(k keyView) bool { return k.ID == v.id("id") })
}

func (s *site) keyUpdate(v *visit) (string, error) {
	if _, err := current(v, s.key, func(k keyView) Form { return k.Form }); err != nil {
		return "", err
	}
	if len(v.r.PostForm["scopes"]) == 0 {
		return "", errNoScope
	}
	_, err := send(v, s.Account.UpdateAgentKey)
	return "/settings/api-keys?done=saved", err
}

func (s *site) keyRevoke(v *visit) (next string, err error) {
	if v.form("kind") == "list" {
		_, err = send(v, s.Account.RevokeListKey)
	} else {
		_, err = send(v, s.Account.RevokeAgentKey)
	}
	return "/settings/api-keys?done=revoked", err
}

type keyActivityView struct {
	Frame
	Key      keyView
	Activity []account.KeyUse
}

func (s *site) keyActivity(v *visit) error {
	view := keyActivityView{Activity: read(v, s.Account.GetKeyActivity).Activity, Key: loaded(v, s.key)}
	return s.page(v, "Activity of a key", "settings/keys", "", &view)
}

func (s *site) readBots(v *visit) ([]botView, error) {
	bots, err := s.Account.ListBots.Call(v.ctx(), v.by, core.None{})
	return core.Map(bots, func(b account.Bot) botView {
		return botView{Person: Person{ID: b.ID, Name: b.Name, Picture: pictureOf(core.OrZero(b.AvatarURL)), IsBot: true}, CreatedAt: b.CreatedAt,
			Form: newForm("name", b.Name, "avatarUrl", foreignPicture(b.AvatarURL))}
	}), err
}

func (s *site) bot(v *visit) (botView, error) {
	bots, err := s.readBots(v)
	return pick(bots, err, func(b botView) bool { return b.ID == v.id("id") })
}

func (s *site) botUpdate(v *visit) (string, error) {
	if _, err := current(v, s.bot, func(b botView) Form { return b.Form }); err != nil {
		return "", err
	}
	_, err := send(v, s.Account.UpdateBot, func(in *account.UpdateBotIn) {
		if v.form("removePicture") == "yes" { // the form cannot show a picture of this server
			in.AvatarURL = core.Some(v.form("avatarUrl"))
		}
	})
	return "/settings/api-keys?done=saved", err
}

func (s *site) botDelete(v *visit) (string, error) {
	if !v.confirmed() {
		return "", core.New(core.Invalid, "not_confirmed", "Tick the box to delete this bot.")
	}
	_, err := send(v, s.Account.DeleteBot)
	return "/settings/api-keys?done=deleted", err
}

// receivingKeys returns, by key, whether it receives requests. It returns nothing without a Context lane.
func (s *site) receivingKeys(v *visit) (map[string]*lane.ReceivingKey, error) {
	if !s.Lane.Context {
		return nil, nil
	}
	rows, err := s.Lane.ListReceivingKeys.Call(v.ctx(), v.by, core.None{})
	out := map[string]*lane.ReceivingKey{}
	for _, k := range rows {
		out[k.KeyID] = &k
	}
	return out, err
}

type keyRequestsView struct {
	Frame
	Name     string
	Requests []lane.KeyRequest
	Older    string
}

func (s *site) keyRequests(v *visit) error {
	id := v.id("id")
	out := get(v, s.Lane.ListKeyRequests, lane.ListKeyRequestsIn{KeyID: id, Before: v.moment("until")})
	view := keyRequestsView{Name: out.KeyName, Requests: out.Requests}
	if out.HasMore {
		view.Older = "/settings/api-keys/" + id + "/requests?until=" + url.QueryEscape(out.Requests[len(out.Requests)-1].CreatedAt.String())
	}
	return s.page(v, "What "+view.Name+" was asked", "settings/keys", "", &view)
}
