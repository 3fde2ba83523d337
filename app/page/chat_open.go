package page

import (
	"net/http"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/list"
)

type openView struct {
	chat.OpenConversation
	Face Person
}

type chatOpenView struct {
	Frame
	columnView
	Groups []openView
}

func chatOpen(s *site, v *visit) error {
	var view chatOpenView
	for _, c := range get(v, s.Chat.ListOpen, core.None{}).Conversations {
		view.Groups = append(view.Groups, openView{c, Person{ID: c.ID, Name: c.Title, Picture: pictureOf(core.OrZero(c.AvatarURL))}})
	}
	view.Frame = s.frame(v, "Open groups", "chat", "chat")
	view.columnView = s.column(v, "")
	return s.show(v, http.StatusOK, view)
}

func chatJoin(s *site, v *visit) error {
	id := v.id("id")
	_, err := s.Chat.JoinConversation.Call(v.ctx(), v.by, core.ByID{ID: id})
	return v.next("/chat/"+id, err)
}

func (s *site) storedOpen(v *visit, c chat.Conversation) Form {
	f := newForm("open", yesIf(c.Open))
	if v.by.Admin {
		f.Values.Set("everybody", yesIf(c.Default))
	}
	return f
}

func chatSetOpen(s *site, v *visit) error {
	return s.manage(v, "saved", func(id string) error {
		c, err := s.Chat.GetConversation.Call(v.ctx(), v.by, core.ByID{ID: id})
		if err != nil {
			return err
		}
		e, err := v.edits(s.storedOpen(v, c))
		if err != nil {
			return err
		}
		if e.has("open") {
			c, err = s.Chat.UpdateConversation.Call(v.ctx(), v.by, chat.UpdateConversationIn{ID: id, Open: e.box("open")})
		}
		if err != nil || !v.by.Admin || !c.Open || !e.has("everybody") {
			return err
		}
		in := chat.SetDefaultIn{}
		switch everybody := v.form("everybody") == "yes"; {
		case everybody && !c.Default:
			in.ConversationID = core.Some(id)
		case !everybody && c.Default:
			in.ConversationID = core.Opt[string]{Set: true, Null: true}
		default:
			return nil
		}
		_, err = s.Chat.SetDefault.Call(v.ctx(), v.by, in)
		return err
	})
}

// home leads newcomers to the group that everybody is in, or to the chat.
func home(s *site, v *visit) error {
	out, err := s.Chat.ListOpen.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	for _, c := range out.Conversations {
		if c.Default && c.Member {
			return v.seeOther("/chat/" + c.ID + "?welcome=1")
		}
	}
	return v.seeOther("/chat")
}

type newcomerView struct {
	Text   string
	People []Person
	Lists  []namedLink
}

type namedLink struct{ Name, URL string }

func (s *site) newcomer(v *visit, c chat.Conversation) *newcomerView {
	if v.query("welcome") == "" || !c.Default {
		return nil
	}
	view := &newcomerView{Text: s.community(v).Welcome}
	for _, p := range others(c, v.by.UserID) {
		if len(view.People) < 8 && !p.IsBot {
			view.People = append(view.People, p)
		}
	}
	lists := get(v, s.List.Lists, list.ListsIn{Public: true, Limit: 5})
	for _, l := range lists.Lists {
		view.Lists = append(view.Lists, namedLink{l.Title, "/list/" + l.ID})
	}
	return view
}
