package core

import "hearth/store"

// ProfileStatus is the status that a person shows beside their name.
type ProfileStatus struct {
	Text      string     `json:"text" read:"others"`
	Emoji     string     `json:"emoji" read:"others"`
	UpdatedAt store.Time `json:"updatedAt"`
}

// PublicUser is an account as others see it. Its e-mail address is a placeholder, except for the account itself.
type PublicUser struct {
	ID             string         `json:"id"`
	Name           string         `json:"name" read:"others"`
	Email          string         `json:"email" read:"others"`
	AvatarURL      *string        `json:"avatarUrl" read:"others"`
	IsBot          bool           `json:"isBot"`
	PresenceStatus string         `json:"presenceStatus" enum:"available|away|busy|invisible|offline" read:"others=offline"`
	ProfileStatus  *ProfileStatus `json:"profileStatus" read:"others"`
	LastSeenAt     *store.Time    `json:"lastSeenAt" read:"others"`
}

// MaskedEmail returns the placeholder that others see instead of an account's address.
func MaskedEmail(userID string) string { return userID + "@users.invalid" }

// HidesPresence reports whether a person with the status looks absent to others. Nobody sees them come and go, and they
// were last seen when they chose the status.
func HidesPresence(status string) bool { return status == "invisible" || status == "offline" }

// PublicUserOf returns u as others see it.
func PublicUserOf(u store.User) PublicUser { return UserFor(u, "") }

// UserFor returns u as shown to the account viewerID. An account sees its own address and presence. To others, a person
// who is absent or hides their presence is offline.
func UserFor(u store.User, viewerID string) PublicUser {
	p := PublicUser{
		ID: u.ID, Name: u.Name, Email: u.Email, AvatarURL: OrNil(u.AvatarURL), IsBot: u.IsBot,
		PresenceStatus: u.PresenceStatus, ProfileStatus: StatusOf(u), LastSeenAt: u.LastSeenAt.Ptr(),
	}
	if u.ID == viewerID {
		return p
	}
	p.Email = MaskedEmail(u.ID)
	if HidesPresence(u.PresenceStatus) || !u.Online && !u.IsBot {
		p.PresenceStatus = "offline"
	}
	return p
}

// PicturePath is the prefix of the addresses of pictures on this server.
const PicturePath = "/api/pictures/"

// PictureURL returns the address of a picture on this server.
func PictureURL(id string) string { return PicturePath + id }

// StatusOf returns u's profile status, or nil if there is none.
func StatusOf(u store.User) *ProfileStatus {
	if u.StatusText == "" && u.StatusEmoji == "" {
		return nil
	}
	return &ProfileStatus{Text: u.StatusText, Emoji: u.StatusEmoji, UpdatedAt: u.StatusAt}
}
