package app_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
)

// person wants the next event to be presence and returns who is in it.
func (s *stream) person() (u core.PublicUser) {
	s.t.Helper()
	name, data, _ := strings.Cut(s.any(), " ")
	var got struct {
		User core.PublicUser `json:"user"`
	}
	if err := json.Unmarshal([]byte(data), &got); err != nil || name != "presence" {
		s.t.Fatalf("%s was told %s %s, want presence (%v)", s.who, name, data, err)
	}
	return got.User
}

// TestPresenceStream changes a profile and looks at who is told: who shares a
// conversation, and one's own devices.
func TestPresenceStream(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	do := func(who, method, path, body string) {
		t.Helper()
		if res := w.json(who, method, path, body); res.status > 299 {
			t.Fatalf("%s %s: %d %s", method, path, res.status, res.body)
		}
	}
	open := func(who string) *stream { return w.openStream(t, srv.URL, who, "/api/chat/events") }
	ada, ben, stranger := open("ada"), open("ben"), open("stranger")
	// Two conversations in common are told of once.
	var groups [2]string
	for i := range groups {
		var made struct {
			ID string `json:"id"`
		}
		res := w.json("ada", "POST", "/api/chat/conversations", fmt.Sprintf(`{"participantIds":[%q],"type":"group","title":"Table %d"}`, w.cast.Ben.ID, i))
		if err := json.Unmarshal(res.body, &made); err != nil || res.status > 299 {
			t.Fatalf("a group: %d %s", res.status, res.body)
		}
		groups[i] = made.ID
		ada.told("conversation.updated", made.ID)
		ben.told("conversation.updated", made.ID)
	}
	do("ada", "PUT", "/api/auth/me/status", `{"text":"Baking","emoji":"🍞"}`)
	if u := ben.person(); u.ID != w.cast.Ada.ID || u.ProfileStatus == nil || u.ProfileStatus.Text != "Baking" || u.Email != core.MaskedEmail(u.ID) {
		t.Errorf("Ben was told %+v", u)
	}
	if u := ada.person(); u.ProfileStatus == nil || u.ProfileStatus.Text != "Baking" || u.Email != "ada@example.org" {
		t.Errorf("Ada's other device was told %+v", u)
	}
	if ben.last == "" || ben.last != ada.last {
		t.Errorf("presence moved the position: %q, %q", ben.last, ada.last)
	}

	do("ada", "PUT", "/api/auth/me/status", `{"presenceStatus":"invisible"}`)
	if his, hers := ben.person(), ada.person(); his.PresenceStatus != "offline" || his.LastSeenAt != nil || hers.PresenceStatus != "invisible" {
		t.Errorf("invisible: Ben was told %+v, Ada %+v", his, hers)
	}
	// What others cannot see they are not told: the next that Ben hears is the name.
	do("ada", "PATCH", "/api/auth/me", `{"discoveryMode":"email_only"}`)
	do("ada", "PATCH", "/api/auth/me", `{"name":"Ada Lovelace"}`)
	if his, hers := ben.person(), ada.person(); his.Name != "Ada Lovelace" || hers.Name != "Ada Lovelace" || his.PresenceStatus != "offline" {
		t.Errorf("a new name: Ben was told %+v, Ada %+v", his, hers)
	}
	do("ada", "PATCH", "/api/auth/me", `{"avatarUrl":"https://pictures.example/ada.png"}`)
	if u := ben.person(); u.AvatarURL == nil || *u.AvatarURL != "https://pictures.example/ada.png" {
		t.Errorf("a new picture: %+v", u)
	}
	ada.person()

	// To be offline instead of invisible looks the same to Ben, not to Ada.
	// So the next that he and the stranger hear of is their own.
	do("ada", "PUT", "/api/auth/me/status", `{"presenceStatus":"offline"}`)
	if u := ada.person(); u.PresenceStatus != "offline" {
		t.Errorf("Ada's other device was told %+v", u)
	}
	for who, s := range map[string]*stream{"ben": ben, "stranger": stranger} {
		do(who, "PUT", "/api/auth/me/status", `{"text":"Here"}`)
		if u := s.person(); u.ProfileStatus == nil || u.ProfileStatus.Text != "Here" {
			t.Errorf("%s was told %+v", who, u)
		}
	}
	if u := ada.person(); u.ID != w.cast.Ben.ID {
		t.Errorf("Ada was told %+v, want Ben alone", u)
	}
	// Who is no longer with her is not told any more.
	for _, id := range groups {
		do("ada", "DELETE", "/api/chat/conversations/"+id+"/participants/"+w.cast.Ben.ID, "")
		ada.told("conversation.updated")
		ben.told("conversation.updated", `"removed":true`)
	}
	do("ada", "PATCH", "/api/auth/me", `{"name":"Ada"}`)
	ada.person()
	do("ben", "PUT", "/api/auth/me/status", `{"text":"Alone"}`)
	if u := ben.person(); u.ID != w.cast.Ben.ID {
		t.Errorf("after the end of all they shared Ben was told %+v", u)
	}
}
