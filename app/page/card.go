package page

import (
	"bytes"
	"fmt"
	"strconv"

	"rsc.io/qr"

	"hearth/app/core"
	"hearth/app/people"
)

type cardView struct {
	Frame
	Person   Person // without an id: a card does not reveal it
	Headline string
	Token    string
	State    string // relation of the viewer to the owner; "" for a guest
	Own      bool
	Form     Form
}

func (s *site) showCard(v *visit, form Form) error {
	in := people.CardIn{Token: v.r.PathValue("token")}
	c := get(v, s.People.OpenCard, in)
	view := cardView{Person: personOf(core.PublicUser{Name: c.Name, AvatarURL: c.AvatarURL, ProfileStatus: c.Status}), Headline: c.Headline,
		Token: in.Token, Form: form}
	if v.by.SignedIn() {
		status, err := s.People.CardFriend.Call(v.ctx(), v.by, in)
		view.State, view.Own = status.State, core.IsKind(err, core.Invalid)
		if err != nil && !view.Own {
			return err
		}
	}
	view.Frame = s.frame(v, c.Name, "card", "narrow")
	return s.show(v, form.status(), view)
}

func cardRequest(s *site, v *visit) error {
	in := people.CardIn{Token: v.r.PathValue("token")}
	ask := func() (string, error) {
		out, err := s.People.RequestByCard.Call(v.ctx(), v.by, in)
		if out.State == "friends" {
			return "/c/" + in.Token + "?done=friends", err
		}
		return "/c/" + in.Token + "?done=asked", err
	}
	return s.submit(v, nil, ask, func(f Form) error { return s.showCard(v, f) })
}

func cardCode(s *site, v *visit) error {
	c, err := s.People.OpenCard.Call(v.ctx(), v.by, people.CardIn{Token: v.r.PathValue("token")})
	if err != nil {
		return err
	}
	code, err := qr.Encode(c.Link, qr.M)
	if err != nil {
		return err
	}
	b := svgOf(code)
	v.w.Header().Set("Content-Type", "image/svg+xml")
	v.w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_, _ = v.w.Write(b)
	return nil
}

// quietZone is the margin that scanners need, in modules.
const quietZone = 4

// svgOf draws black on white in every color scheme. Each run of modules is one path.
func svgOf(code *qr.Code) []byte {
	var b bytes.Buffer
	size := code.Size + 2*quietZone
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%dv%dH0z"/><path d="`, size, size, size, size)
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			n := 0
			for code.Black(x+n, y) { // Black is false outside the code
				n++
			}
			if n > 0 {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", x+quietZone, y+quietZone, n, n)
				x += n
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return b.Bytes()
}

type cardSettingsView struct {
	Frame
	Tab    string
	Card   people.OwnCard
	Token  string
	Link   string
	Hidden bool // the account is hidden: others cannot open the card
	Form   Form
}

func (s *site) showCardSettings(v *visit, form Form) error {
	c := get(v, s.People.GetCard, core.None{})
	me, err := s.me(v)
	if err != nil {
		return err
	}
	view := cardSettingsView{Tab: "card", Card: c, Token: core.OrZero(c.Token), Link: core.OrZero(c.Link),
		Hidden: me.DiscoveryMode == "hidden",
		Form:   form.Or(storedCard(c))}
	view.Frame = s.frame(v, "Add-me card", "settings", "")
	return s.show(v, form.status(), view)
}

func storedCard(c people.OwnCard) Form {
	return newForm("headline", c.Headline, "enabled", yesIf(c.Enabled))
}

func cardUpdate(s *site, v *visit) error {
	load := func() (people.OwnCard, error) { return s.People.GetCard.Call(v.ctx(), v.by, core.None{}) }
	fields := []string{"headline"}
	return edit(s, v, fields, load, storedCard, func(c people.OwnCard, e edits) (string, error) {
		_, err := s.People.UpdateCard.Call(v.ctx(), v.by, people.UpdateCardIn{Headline: e.text("headline"), Enabled: e.box("enabled")})
		return "/settings/card?done=saved", err
	}, func(f Form) error { return s.showCardSettings(v, f) })
}

func cardRotate(s *site, v *visit) error {
	_, err := s.People.RotateCard.Call(v.ctx(), v.by, core.None{})
	return v.next("/settings/card?done=rotated", err)
}
