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

func (s *site) showCard(v *visit) error {
	in := core.ByToken{Token: v.r.PathValue("token")}
	c := get(v, s.People.OpenCard, in)
	view := cardView{Person: personOf(core.PublicUser{Name: c.Name, AvatarURL: c.AvatarURL, ProfileStatus: c.Status}), Headline: c.Headline,
		Token: in.Token, Form: v.filled(Form{})}
	if v.by.SignedIn() {
		status, err := s.People.CardFriend.Call(v.ctx(), v.by, in)
		view.State, view.Own = status.State, core.IsKind(err, core.Invalid)
		if err != nil && !view.Own {
			return err
		}
	}
	return s.page(v, c.Name, "card", "narrow", &view)
}

func (s *site) cardRequest(v *visit) error {
	return s.submit(v, func() (string, error) {
		out, err := send(v, s.People.RequestByCard)
		if out.State == "friends" {
			return v.address("/c/{token}?done=friends"), err
		}
		return v.address("/c/{token}?done=asked"), err
	})
}

func (s *site) cardCode(v *visit) error {
	c, err := send(v, s.People.OpenCard)
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
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, size)
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
	Card   people.OwnCard
	Hidden bool // the account is hidden: others cannot open the card
	Form   Form
}

func (s *site) card(v *visit) (people.OwnCard, error) { return send(v, s.People.GetCard) }

func (s *site) showCardSettings(v *visit) error {
	me, err := s.me(v)
	if err != nil {
		return err
	}
	c := read(v, s.People.GetCard)
	return s.page(v, "Add-me card", "settings/card", "",
		&cardSettingsView{Card: c, Hidden: me.DiscoveryMode == "hidden", Form: v.filled(storedCard(c))})
}

func storedCard(c people.OwnCard) Form {
	return newForm("headline", c.Headline, "enabled", yesIf(c.Enabled))
}
