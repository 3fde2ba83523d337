package app_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
)

// person returns the user of the next event, which must be presence.
func (s *stream) person() (u core.PublicUser) {
	s.t.Helper()
	name, data, _ := strings.Cut(s.any(), " ")
	var got struct {
		User core.PublicUser `json:"user"`
	}
	if err := json.Unmarshal([]byte(data), &got); err != nil || name != "presence" {
		s.t.Fatalf("%s received %s %s, want presence (%v)", s.who, name, data, err)
	}
	return got.User
}

// A changed profile is sent to those who share a conversation, and to the
// person's own devices.
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
	// Two conversations in common make one event.
	var groups [2]string
	for i := range groups {
		var made struct {
			ID string `json:"id"`
		}
		res := w.json("ada", "POST", "/api/chat/conversations", fmt.Sprintf(`{"participantIds":[%q],"type":"group","title":"Table %d"}`,
			w.cast.Ben.ID, i))
		if err := json.Unmarshal(res.body, &made); err != nil || res.status > 299 {
			t.Fatalf("a group: %d %s", res.status, res.body)
		}
		groups[i] = made.ID
		ada.expect("conversation.updated", made.ID)
		ben.expect("conversation.updated", made.ID)
	}
	do("ada", "PUT", "/api/auth/me/status", `{"text":"Baking","emoji":"🍞"}`)
	if u := ben.person(); u.ID != w.cast.Ada.ID || u.ProfileStatus == nil || u.ProfileStatus.Text != "Baking" ||
		u.Email != core.MaskedEmail(u.ID) {
		t.Errorf("Ben received %+v", u)
	}
	if u := ada.person(); u.ProfileStatus == nil || u.ProfileStatus.Text != "Baking" || u.Email != "ada@example.org" {
		t.Errorf("Ada's other device received %+v", u)
	}
	if ben.last == "" || ben.last != ada.last {
		t.Errorf("presence moved the position: %q, %q", ben.last, ada.last)
	}

	do("ada", "PUT", "/api/auth/me/status", `{"presenceStatus":"invisible"}`)
	if his, hers := ben.person(), ada.person(); his.PresenceStatus != "offline" || his.LastSeenAt == nil ||
		hers.PresenceStatus != "invisible" {
		t.Errorf("invisible: Ben received %+v, Ada %+v", his, hers)
	}
	// Others are not notified of what they cannot see: the next event for Ben is the name.
	do("ada", "PATCH", "/api/auth/me", `{"discoveryMode":"email_only"}`)
	do("ada", "PATCH", "/api/auth/me", `{"name":"Ada Lovelace"}`)
	if his, hers := ben.person(), ada.person(); his.Name != "Ada Lovelace" || hers.Name != "Ada Lovelace" || his.PresenceStatus != "offline" {
		t.Errorf("a new name: Ben received %+v, Ada %+v", his, hers)
	}
	do("ada", "PATCH", "/api/auth/me", `{"avatarUrl":"https://pictures.example/ada.png"}`)
	if u := ben.person(); u.AvatarURL == nil || *u.AvatarURL != "https://pictures.example/ada.png" {
		t.Errorf("a new picture: %+v", u)
	}
	ada.person()

	// Offline and invisible look the same to Ben, not to Ada. So the next event
	// for him and the stranger is their own.
	do("ada", "PUT", "/api/auth/me/status", `{"presenceStatus":"offline"}`)
	if u := ada.person(); u.PresenceStatus != "offline" {
		t.Errorf("Ada's other device received %+v", u)
	}
	for who, s := range map[string]*stream{"ben": ben, "stranger": stranger} {
		do(who, "PUT", "/api/auth/me/status", `{"text":"Here"}`)
		if u := s.person(); u.ProfileStatus == nil || u.ProfileStatus.Text != "Here" {
			t.Errorf("%s received %+v", who, u)
		}
	}
	if u := ada.person(); u.ID != w.cast.Ben.ID {
		t.Errorf("Ada received %+v, want Ben alone", u)
	}
	// A person who no longer shares a conversation receives nothing.
	for _, id := range groups {
		do("ada", "DELETE", "/api/chat/conversations/"+id+"/participants/"+w.cast.Ben.ID, "")
		ada.expect("conversation.updated")
		ada.expect("participant.updated", `"removed":true`)
		ben.expect("conversation.updated", `"removed":true`)
	}
	do("ada", "PATCH", "/api/auth/me", `{"name":"Ada"}`)
	ada.person()
	do("ben", "PUT", "/api/auth/me/status", `{"text":"Alone"}`)
	if u := ben.person(); u.ID != w.cast.Ben.ID {
		t.Errorf("after the end of all they shared Ben received %+v", u)
	}
}
