package page

import (
	"net/url"

	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

type receivingView struct {
	Usable, Enabled bool
}

// receivingKeys returns, by key, whether it receives requests. It returns nothing without a Context lane.
func (s *site) receivingKeys(v *visit) (map[string]*receivingView, error) {
	if !s.Lane.Context {
		return nil, nil
	}
	rows, err := s.Lane.ListReceivingKeys.Call(v.ctx(), v.by, core.None{})
	out := map[string]*receivingView{}
	for _, k := range rows {
		out[k.KeyID] = &receivingView{Usable: k.Usable, Enabled: k.Enabled}
	}
	return out, err
}

func (s *site) keyReceives(v *visit) error {
	_, err := send(v, s.Lane.SetContextPreference, func(in *lane.SetContextPreferenceIn) { in.KeyID = v.id("id") })
	return v.next(v.address("/settings/api-keys?done=saved#key-{id}"), err)
}

type keyRequestsView struct {
	Frame
	Name     string
	Requests []lane.KeyRequest
	Older    string
}

func (s *site) keyRequests(v *visit) error {
	id := v.id("id")
	in := lane.ListKeyRequestsIn{KeyID: id}
	if t, err := store.ParseTime(v.query("until")); err == nil {
		in.Before = &t
	}
	out := get(v, s.Lane.ListKeyRequests, in)
	view := keyRequestsView{Name: out.KeyName, Requests: out.Requests}
	if out.HasMore {
		view.Older = "/settings/api-keys/" + id + "/requests?until=" + url.QueryEscape(out.Requests[len(out.Requests)-1].CreatedAt.String())
	}
	return s.page(v, "What "+view.Name+" was asked", "settings/keys", "", &view)
}
