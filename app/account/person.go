package account

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"hearth/app/core"
	"hearth/store"
)

const maxName = 80

var (
	errNoAccount      = errors.New("account: no account has this address, and sign-up is closed")
	errSimilarAddress = errors.New("account: the account with this folded address has another address")
)

// verifiedUser returns the account of an address that was just verified, and creates it from want if create is set.
// The first verification drops every password, key and session created before, and calls store.EndUnproven: somebody
// who does not own the address may have registered the account.
func (s *Service) verifiedUser(tx *store.Tx, want store.User, create bool) (u store.User, created bool, err error) {
	if create {
		if err := freeAddress(tx, want.Email); err != nil {
			return u, false, err
		}
	}
	u, err = tx.UserByEmail(want.Email)
	switch {
	case errors.Is(err, store.ErrNoRow) && !create:
		return u, false, errNoAccount
	case errors.Is(err, store.ErrNoRow):
		want.VerifiedAt = tx.Now
		if want.Name == "" {
			want.Name = nameFrom(want.Email)
		}
		if u, err = tx.InsertUser(want); err == nil {
			err = s.cfg.Joined(tx, u.ID)
		}
		return u, true, err
	case err != nil:
		return u, false, err
	case !sameAddress(u.Email, want.Email):
		return u, false, errSimilarAddress
	case u.SuspendedAt != 0 || u.IsSystem || u.BotOwnerID != "":
		return u, false, errSuspended
	case u.VerifiedAt != 0:
		return u, false, nil
	}
	u.VerifiedAt, u.PasswordHash = tx.Now, ""
	ended, err := tx.EndUnproven(u.ID)
	if err = cmp.Or(err, tx.RevokeKeys(u.ID), s.ended(tx, store.Ended{Unproven: ended})); err != nil {
		return u, false, err
	}
	u, err = revokeSessions(tx, u)
	return u, false, cmp.Or(err, s.cfg.Joined(tx, u.ID))
}

func freeAddress(tx *store.Tx, email string) error {
	u, err := tx.UserByEmail(email)
	switch {
	case errors.Is(err, store.ErrNoRow):
		return nil
	case err == nil && u.VerifiedAt == 0 && !u.IsSystem && !sameAddress(u.Email, email):
		return tx.DropAddress(u.ID)
	}
	return err
}

// prove gives the account that asked to prove an address the address. It returns store.ErrTaken if another account has
// proven it. One that only typed it loses it.
func prove(tx *store.Tx, userID, email string) (u store.User, err error) {
	other, err := tx.UserByEmail(email)
	if err == nil && other.VerifiedAt == 0 && !other.IsSystem {
		err = tx.DropAddress(other.ID)
	}
	if err = store.Optional(err); err == nil {
		err = tx.SetAddress(userID, email)
	}
	if err != nil {
		return u, err
	}
	return tx.User(userID)
}

// Find returns the account with an id, or of a mailbox as UserOf does. It is for commands.
func Find(r *store.Reader, who string) (store.User, error) {
	if id := strings.TrimSuffix(who, core.MaskedEmail("")); store.ValidID(id) {
		return r.User(id)
	}
	return UserOf(r, who)
}

// UserOf returns the account of a mailbox. It returns store.ErrNoRow without one, and for an address that only folds
// to the same.
func UserOf(r *store.Reader, email string) (store.User, error) {
	u, err := r.UserByEmail(email)
	if err == nil && !sameAddress(u.Email, email) {
		return store.User{}, store.ErrNoRow
	}
	return u, err
}

func (s *Service) closed(r *store.Reader) (bool, error) {
	mode, err := s.cfg.Signup, error(nil)
	if mode == "" {
		mode, err = r.Setting(store.SettingSignup)
	}
	return mode == "invite", err
}

// The database finds accounts by full case folding, which maps straße to strasse. As domains these differ.
func sameAddress(a, b string) bool { return mailbox(a) == mailbox(b) }

func mailbox(email string) string {
	email = strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); r < utf8.RuneSelf || l >= utf8.RuneSelf {
			return l
		}
		return r
	}, norm.NFC.String(email))
	at := strings.LastIndexByte(email, '@') + 1
	if domain, err := idna.Lookup.ToASCII(email[at:]); err == nil {
		return email[:at] + domain
	}
	return email
}

// nameFrom derives a name from an address: ada.lovelace+x@… becomes Ada Lovelace.
func nameFrom(email string) string {
	local, _, _ := strings.Cut(email, "@")
	local, _, _ = strings.Cut(local, "+")
	words := strings.FieldsFunc(local, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	for i, w := range words {
		r, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToTitle(r)) + w[n:]
	}
	name := []rune(strings.Join(words, " "))
	if len(name) == 0 {
		return "Somebody"
	}
	return string(name[:min(len(name), maxName)])
}
