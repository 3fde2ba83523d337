package admin

import (
	"net/url"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// contactURL returns mailto: for an e-mail address and https: for a page. It is "" for anything else.
func contactURL(contact string) string {
	switch {
	case core.ValidFormat("email", contact):
		return "mailto:" + url.PathEscape(contact)
	case strings.HasPrefix(contact, "https://") && core.ValidFormat("url", contact):
		u, err := url.Parse(contact)
		if err != nil {
			return ""
		}
		return u.String()
	}
	return ""
}

// SecurityURL returns the address for security reports, or "".
func (c Community) SecurityURL() string { return contactURL(c.SecurityContact) }

// contactValid is the lifetime of a copy of SecurityContact, which ends up to a day earlier.
const contactValid = 90 * 24 * time.Hour

// SecurityContact is the address for security reports.
type SecurityContact struct {
	URL     string    `json:"url"`
	Expires time.Time `json:"expires" doc:"At the beginning of a day."`
}

// getSecurityContact returns NotFound if no contact is set.
func (s *Service) getSecurityContact(r *store.Reader, _ store.Viewer, _ core.None) (SecurityContact, error) {
	contact, err := r.Setting(store.SettingSecurity)
	if err == nil && contactURL(contact) == "" {
		err = core.ErrNotFound
	}
	return SecurityContact{contactURL(contact), r.Now().Go().Truncate(24 * time.Hour).Add(contactValid)}, err
}
