package account

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/app/mail"
	"hearth/store"
)

const (
	maxLiveLinks = 5

	// maxWrongCodes bounds the wrong codes per address and day; after it only links work. A bound per mail is not
	// enough: new mails can be requested.
	maxWrongCodes = 10

	// maxWrongCodesOfAll bounds the wrong codes of all addresses within an hour; after it only links work. Guesses
	// spread over many accounts then succeed with a chance below 1 in 400 a day.
	maxWrongCodesOfAll = 100
)

const wrongCodesOfAll = "wrong codes"

// MagicLinkIn is a request for a sign-in mail.
type MagicLinkIn struct {
	Email string `json:"email" required:"true" max:"254" format:"email"`
	Next  string `json:"next" max:"2000" doc:"A path on this server to open after sign-in. Anything else is ignored."`

	Invitation string `json:"invitation" max:"100" doc:"The token of an invitation to the community. An invalid one is an error."`
}

// MagicLinkOut is the same for every address, so that it does not reveal accounts.
type MagicLinkOut struct {
	ExpiresIn int `json:"expiresIn" doc:"Seconds until the link and the code expire, if a mail was sent."`
}

// requestMagicLink returns the same for every address, also when it sends no mail.
func (s *Service) requestMagicLink(ctx context.Context, by store.Viewer, in MagicLinkIn) (out MagicLinkOut, err error) {
	out.ExpiresIn = int(linkLife.Seconds())
	if err := s.mailReady(); err != nil {
		return out, err
	}
	token, code := core.NewSecret(32), newCode()
	var to, site, asks string
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if site, err = s.siteName(&tx.Reader); err != nil {
			return err
		}
		invite, err := invitedBy(&tx.Reader, in.Invitation)
		if err == nil && by.Direct() {
			asks, err = provesFor(tx, by)
		}
		if err != nil {
			return err
		}
		to, err = s.addLink(tx, in, store.LoginLink{InviteID: invite, UserID: asks}, token, code)
		return err
	})
	if err != nil || to == "" {
		return out, err
	}
	s.send(ctx, s.linkMail(to, site, token, code, asks != ""))
	return out, nil
}

// provesFor returns the account that gets the address that by asks a mail for: that of by, if it has no address.
func provesFor(tx *store.Tx, by store.Viewer) (userID string, err error) {
	u, err := tx.User(by.UserID)
	if err == nil && !u.HasAddress() {
		userID = u.ID
	}
	return userID, ownAccountError(err)
}

// siteName returns the name of the community, or else the host of the server.
func (s *Service) siteName(r *store.Reader) (string, error) {
	name, err := r.Setting(store.SettingCommunityName)
	return cmp.Or(name, s.host), err
}

// send leaves m to the mailer. That the mailer does not accept it is only logged, because it would reveal an account.
func (s *Service) send(ctx context.Context, m mail.Message) {
	if err := s.cfg.Mail.Send(ctx, m); err != nil {
		s.log.Error("mail not accepted for sending", "error", err)
	}
}

// mailReady is called before the address is looked up, so that its error reveals no account.
func (s *Service) mailReady() error {
	if s.cfg.Mail.Ready() != nil {
		return errMailBusy
	}
	return nil
}

var errMailBusy = &core.Error{Kind: core.Unavailable, Code: "mail_busy", RetryAfter: time.Minute,
	Msg: "Too many mails are waiting for the mail server, so none was sent. Try again in a minute."}

// addLink does the same writes for every address. link has who asks. It returns "" if no mail is to be sent.
func (s *Service) addLink(tx *store.Tx, in MagicLinkIn, link store.LoginLink, token, code string) (to string, err error) {
	live, err := tx.LiveLinks(in.Email)
	if err != nil || len(live) >= maxLiveLinks {
		return "", err
	}
	u, err := tx.UserByEmail(in.Email)
	known := err == nil && sameAddress(u.Email, in.Email) // accounts are found by the folded address
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		return "", err
	}
	to = in.Email
	if known {
		to = u.Email
	}
	attempts := 0
	for _, l := range live {
		attempts = max(attempts, l.Attempts)
	}
	link.TokenHash, link.Email, link.CodeHash, link.Next = core.Digest(token), to, s.codeHash(to, code), LocalPath(in.Next)
	link.Attempts, link.ExpiresAt = attempts, tx.In(linkLife)
	if err = tx.InsertLink(link); err != nil {
		return "", err
	}
	closed, err := s.closed(&tx.Reader)
	refused := closed && link.InviteID+link.UserID == ""
	if known {
		refused = u.SuspendedAt != 0 || u.IsSystem || u.BotOwnerID != ""
	}
	if refused {
		to = ""
	}
	return to, err
}

// VerifyMagicLinkIn has the token of a link, or a code and the address it was sent to.
type VerifyMagicLinkIn struct {
	Token string `json:"token" max:"100"`
	Email string `json:"email" max:"254" format:"email"`
	Code  string `json:"code" max:"20" doc:"The six digits of the newest mail. Spaces are ignored."`
	Name  string `json:"name" max:"80" line:"true" plain:"true" doc:"Name of a new account. Derived from the address if left out."`
}

// VerifyMagicLinkOut is a user token and its account.
type VerifyMagicLinkOut struct {
	TokenOut
	User Me `json:"user"`
}

var errLink = core.New(core.Invalid, "invalid_link",
	"This link or code is not valid. Each works once, for 15 minutes; after several wrong codes only the link in the mail works. Request a "+
		"new one.")

// errSuspended is returned only to people who have proven that they own the account.
var errSuspended = core.New(core.Unauthenticated, "account_suspended",
	"This account is suspended. Contact the administrators of this server.")

func (s *Service) verifyMagicLink(ctx context.Context, by store.Viewer, in VerifyMagicLinkIn) (out VerifyMagicLinkOut, err error) {
	var row store.Session
	_, u, err := s.redeem(ctx, by, in, func(tx *store.Tx, u store.User) (err error) {
		row, err = addToken(tx, u, "token", by.Device, tokenLife)
		return err
	})
	if err != nil {
		return out, err
	}
	out.User = meOf(u)
	out.TokenOut, err = s.tokenFor(u, row)
	return out, err
}

// Redeemed is the account that a link or a code signed in to.
type Redeemed struct {
	UserID string `json:"userId"`
	Next   string `json:"next" doc:"A local path to open. May be empty."`

	Created bool `json:"created" doc:"Whether the account is new."`
	Proven  bool `json:"proven" doc:"Whether the caller's account got the address, which it had asked to prove."`
}

func (s *Service) redeemForPage(ctx context.Context, by store.Viewer, in VerifyMagicLinkIn) (Redeemed, error) {
	out, u, err := s.redeem(ctx, by, in, func(*store.Tx, store.User) error { return nil })
	out.UserID = u.ID
	return out, err
}

func (s *Service) redeem(ctx context.Context, by store.Viewer, in VerifyMagicLinkIn, then func(*store.Tx, store.User) error) (out Redeemed,
	u store.User, err error) {
	in.Code = normalizeCode(in.Code)
	if in.Token == "" && (in.Email == "" || in.Code == "") {
		return out, u, core.InvalidField("token", "Send either token, or email and code.")
	}
	var refused error
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		link, err := s.findLink(tx, in)
		if errors.Is(err, store.ErrNoRow) {
			refused = errLink // returned after the write, so that the wrong code is counted
			return nil
		}
		if err != nil {
			return err
		}
		out.Next = link.Next
		if err = tx.UseLink(link.TokenHash); err == nil {
			u, err = s.userOf(tx, by, link, in.Name, &out)
		}
		if err == nil {
			err = then(tx, u)
		}
		return err
	})
	if errors.Is(err, errNoAccount) || errors.Is(err, errSimilarAddress) {
		err = errLink
	}
	return out, u, errors.Join(err, refused)
}

// userOf returns the account that a link is for. Whoever proves an address that another account asked to prove gets an
// account of their own: anybody can have typed it.
func (s *Service) userOf(tx *store.Tx, by store.Viewer, link store.LoginLink, name string, out *Redeemed) (u store.User, err error) {
	if link.Email == "" {
		if u, err = tx.User(link.UserID); err == nil && u.SuspendedAt != 0 {
			err = errSuspended
		}
		return u, err
	}
	if link.UserID != "" && by.Direct() && by.UserID == link.UserID {
		if u, err = prove(tx, by.UserID, link.Email); !errors.Is(err, store.ErrTaken) {
			out.Proven = err == nil
			return u, err
		}
	}
	closed, err := s.closed(&tx.Reader)
	if err != nil {
		return u, err
	}
	want := store.User{Email: link.Email, Name: name, SignupProvider: "magic-link"}
	if link.InviteID != "" {
		want.SignupProvider = "invitation"
	}
	u, out.Created, err = s.verifiedUser(tx, want, !closed || link.InviteID != "")
	if err == nil && out.Created && link.InviteID != "" {
		err = useInvitation(tx, link.InviteID, closed)
	}
	return u, err
}

// Only the newest code of an address is valid. A wrong code is counted and returns ErrNoRow.
func (s *Service) findLink(tx *store.Tx, in VerifyMagicLinkIn) (store.LoginLink, error) {
	if in.Token != "" {
		return tx.LoginLink(core.Digest(in.Token))
	}
	newest, err := tx.NewestLink(in.Email)
	if err != nil {
		return store.LoginLink{}, err
	}
	quotas := []struct {
		name string
		max  int
		in   time.Duration
	}{{"wrong codes " + core.Digest(store.Fold(in.Email)), maxWrongCodes, 24 * time.Hour}, {wrongCodesOfAll, maxWrongCodesOfAll, time.Hour}}
	for _, q := range quotas {
		if used, err := tx.QuotaUsed(q.name); err != nil || used >= q.max {
			return store.LoginLink{}, cmp.Or(err, store.ErrNoRow)
		}
	}
	if hmac.Equal([]byte(newest.CodeHash), []byte(s.codeHash(newest.Email, in.Code))) && newest.Attempts < store.MaxCodeAttempts {
		return newest, nil
	}
	for _, q := range quotas {
		if _, err := tx.UseQuota(q.name, q.max, q.in); err != nil {
			return store.LoginLink{}, err
		}
	}
	return store.LoginLink{}, cmp.Or(tx.CountWrongCode(in.Email), store.ErrNoRow)
}

// Link is what a sign-in link leads to.
type Link struct {
	Email   string // "" for an account without an address
	Name    string // of the account; "" if no account has the address
	Claimed bool   // an account asked to prove the address
	Yours   bool   // it is the account of the caller
}

// ShowLink returns what a link leads to, without consuming it. A link that is not valid is NotFound.
func (s *Service) ShowLink(ctx context.Context, by store.Viewer, token string) (out Link, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		l, err := r.LoginLink(core.Digest(token))
		if err != nil {
			return err
		}
		out.Email, out.Claimed, out.Yours = l.Email, l.UserID != "", l.UserID != "" && by.Direct() && by.UserID == l.UserID
		var u store.User
		if l.Email == "" {
			u, err = r.User(l.UserID)
		} else {
			u, err = UserOf(r, l.Email)
		}
		out.Name = u.Name
		return store.Optional(err)
	})
	return out, core.Found(err)
}

// codeHash is keyed: all million codes are quickly tried against a plain hash.
func (s *Service) codeHash(email, code string) string {
	h := hmac.New(sha256.New, s.codeKey)
	h.Write([]byte(store.Fold(email) + "\n" + code))
	return hex.EncodeToString(h.Sum(nil))
}

func normalizeCode(code string) string { return strings.NewReplacer(" ", "", "-", "").Replace(code) }

func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic("account: random source: " + err.Error())
	}
	return fmt.Sprintf("%06d", n)
}

func (s *Service) linkURL(token string) string { return s.base + "/login/verify?token=" + token }

// linkMail returns a mail to sign in, or to prove an address for the account that asks.
func (s *Service) linkMail(to, site, token, code string, prove bool) mail.Message {
	subject, open, asked := "Sign in to "+site, "Open this link to sign in to "+site, "ask to sign in"
	if prove {
		subject, open, asked = "Your address for "+site, "Open this link in the browser where you joined "+site, "join"
	}
	return mail.Message{
		To:       to,
		FromName: site,
		Subject:  subject,
		Text: open + ":\n\n" + s.linkURL(token) +
			"\n\nOr enter this code where you asked for it: " + code +
			"\n\nEach works once, for 15 minutes. If you did not " + asked + ", ignore this e-mail.\n",
	}
}

// LocalPath returns next if it is a path on this server, else "". It keeps sign-in from redirecting to another site.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil {
		return ""
	}
	odd := strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || r <= ' ' || r == 0x7f })
	if odd || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") {
		return ""
	}
	return next
}
