package page

import (
	"fmt"

	"hearth/app/account"
	"hearth/app/core"
)

// readBots returns the person's bots. edit is the failed form of the bot with the id editing.
func (s *site) readBots(v *visit, editing string, edit Form) ([]botView, error) {
	bots, err := s.Account.ListBots.Call(v.ctx(), v.by, core.None{})
	out := make([]botView, len(bots))
	for i, b := range bots {
		out[i] = botView{Person: Person{ID: b.ID, Name: b.Name, Picture: pictureOf(core.OrZero(b.AvatarURL)), IsBot: true},
			CreatedAt: b.CreatedAt,
			Form:      newForm("name", b.Name, "avatarUrl", foreignPicture(b.AvatarURL))}
		if b.ID == editing {
			out[i].Form = edit.with("name", b.Name, "avatarUrl", foreignPicture(b.AvatarURL))
		}
		out[i].Form.Prefix = fmt.Sprintf("bot%d-", i)
	}
	return out, err
}

func botUpdate(s *site, v *visit) error {
	id := v.id("id")
	load := func() (botView, error) { return s.bot(v, id) }
	fields := []string{"name", "avatarUrl"}
	return edit(s, v, fields, load, func(bot botView) Form { return bot.Form }, func(bot botView, e edits) (string, error) {
		in := account.UpdateBotIn{ID: id, Name: e.text("name")}
		if remove := v.form("removePicture") == "yes"; remove {
			in.AvatarURL = core.Some(v.form("avatarUrl"))
		} else if v.form("avatarUrl") != "" || bot.Picture == "" { // the form cannot show a picture of another server
			in.AvatarURL = e.text("avatarUrl")
		}
		_, err := s.Account.UpdateBot.Call(v.ctx(), v.by, in)
		return "/settings/api-keys?done=saved", err
	}, func(f Form) error {
		return s.showKeys(v, f.status(), keysView{Form: newKeyForm()}, id, f)
	})
}

func (s *site) bot(v *visit, id string) (botView, error) {
	bots, err := s.readBots(v, "", Form{})
	for _, b := range bots {
		if b.ID == id {
			return b, nil
		}
	}
	return botView{}, err
}

func botDelete(s *site, v *visit) error {
	id := v.id("id")
	remove := func() (string, error) {
		if !v.confirmed() {
			return "", core.New(core.Invalid, "not_confirmed", "Tick the box to delete this bot.")
		}
		_, err := s.Account.DeleteBot.Call(v.ctx(), v.by, account.BotIn{ID: id})
		return "/settings/api-keys?done=deleted", err
	}
	return s.submit(v, nil, remove, func(f Form) error {
		return s.showKeys(v, f.status(), keysView{Form: newKeyForm()}, id, f)
	})
}

type keyActivityView struct {
	Frame
	Tab      string
	Key      keyView
	Activity []account.KeyUse
}

func keyActivity(s *site, v *visit) error {
	id := v.id("id")
	got := get(v, s.Account.GetKeyActivity, account.KeyIn{ID: id})
	view := keyActivityView{Tab: "keys", Activity: got.Activity}
	keys, err := s.readKeys(v)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.ID == id {
			view.Key = k
		}
	}
	view.Frame = s.frame(v, "Activity of a key", "settings", "")
	return s.show(v, 200, view)
}
