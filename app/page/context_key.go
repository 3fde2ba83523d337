package page

import (
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

// currentPost returns the current state of a post from a conflict, or nil.
func currentPost(e *core.Error) *lane.ContextPostProjection {
	p := new(lane.ContextPostProjection)
	if json.Unmarshal(e.Current, p) != nil {
		return nil
	}
	return p
}

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

func keyReceives(s *site, v *visit) error {
	id := v.id("id")
	_, err := s.Lane.SetContextPreference.Call(v.ctx(), v.by, lane.SetContextPreferenceIn{KeyID: id, Enabled: new(v.form("enabled") == "yes")})
	return v.next("/settings/api-keys?done=saved#key-"+id, err)
}

type keyRequestsView struct {
	Frame
	Tab      string
	Name     string
	Requests []lane.KeyRequest
	Older    string
}

func keyRequests(s *site, v *visit) error {
	id := v.id("id")
	in := lane.ListKeyRequestsIn{KeyID: id}
	if t, err := store.ParseTime(v.query("until")); err == nil {
		in.Before = &t
	}
	out := get(v, s.Lane.ListKeyRequests, in)
	view := keyRequestsView{Tab: "keys", Name: out.KeyName, Requests: out.Requests}
	if out.HasMore {
		view.Older = "/settings/api-keys/" + id + "/requests?until=" + url.QueryEscape(out.Requests[len(out.Requests)-1].CreatedAt.String())
	}
	view.Frame = s.frame(v, "What "+view.Name+" was asked", "settings", "")
	return s.show(v, http.StatusOK, view)
}
