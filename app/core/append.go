package core

import (
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// The Append functions encode large, frequent results without reflection, which costs several times as much. Tests
// compare their output with the tags.

// AppendID appends a quoted identifier, in which nothing needs escaping.
func AppendID(b []byte, id string) []byte {
	return append(append(append(b, '"'), id...), '"')
}

// AppendText appends s quoted. Invalid UTF-8 becomes U+FFFD.
func AppendText(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // reports only the invalid UTF-8
	return b
}

// AppendTextOrNull appends *s quoted, or null.
func AppendTextOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return AppendText(b, *s)
}

// AppendBool appends true or false.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// AppendTime appends *t quoted, or null.
func AppendTime(b []byte, t *store.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	b, _ = t.AppendText(append(b, '"')) // never fails
	return append(b, '"')
}

// MarshalJSONTo implements json.MarshalerTo.
func (u PublicUser) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(u.appendJSON(enc.AvailableBuffer()))
}

func (u *PublicUser) appendJSON(b []byte) []byte {
	b = AppendID(append(b, `{"id":`...), u.ID)
	b = AppendText(append(b, `,"name":`...), u.Name)
	b = AppendText(append(b, `,"email":`...), u.Email)
	b = AppendTextOrNull(append(b, `,"avatarUrl":`...), u.AvatarURL)
	b = AppendBool(append(b, `,"isBot":`...), u.IsBot)
	b = AppendText(append(b, `,"presenceStatus":`...), u.PresenceStatus)
	b = append(b, `,"profileStatus":`...)
	if p := u.ProfileStatus; p != nil {
		b = AppendText(append(b, `{"text":`...), p.Text)
		b = AppendText(append(b, `,"emoji":`...), p.Emoji)
		b = append(AppendTime(append(b, `,"updatedAt":`...), &p.UpdatedAt), '}')
	} else {
		b = append(b, "null"...)
	}
	return append(AppendTime(append(b, `,"lastSeenAt":`...), u.LastSeenAt), '}')
}
