package store

import (
	"net/url"
	"slices"
	"strings"
)

// LinkKey returns a link in the form in which links are compared: two links have
// the same key if they differ only in the scheme, "www.", the case of the host, a
// default port, the order of parameters, parameters that count visits, a fragment
// or a slash at the end. It is "" for text that is not a link.
func LinkKey(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), "www.")
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	key := host + strings.TrimRight(u.EscapedPath(), "/")
	var params []string
	for p := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(p, "="); p != "" && !countsVisits(name) {
			params = append(params, p)
		}
	}
	if len(params) > 0 {
		slices.Sort(params)
		key += "?" + strings.Join(params, "&")
	}
	return key
}

// countsVisits reports whether a parameter says where a visitor comes from, and
// not what the page is.
func countsVisits(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "utm_") || slices.Contains([]string{"fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "igshid"}, name)
}

// SameLink returns the id of the first item of a list, in its order, that has
// the link; "" if none has it.
func (tx *Tx) SameLink(listID, link string) (id string, err error) {
	key := LinkKey(link)
	if key == "" {
		return "", nil
	}
	return orZero(one[string](&tx.Reader, `SELECT i.id FROM item i WHERE i.link_key = ? AND i.list_id = ? ORDER BY i.rank LIMIT 1
		/* server: of the list that is added to */`, key, listID))
}

// LinkUse is another list that has the link of an item.
type LinkUse struct {
	ListID string
	Title  string
	ItemID string
}

// maxLinkUses is how many lists with one link are counted.
const maxLinkUses = 1000

// LinkUses returns up to limit lists other than listID that are visible to by and
// have an item with the link. It also returns how many there are, up to 1,000.
func (r *Reader) LinkUses(by Viewer, listID, link string, limit int) (uses []LinkUse, total int, err error) {
	key := LinkKey(link)
	if key == "" {
		return nil, 0, nil
	}
	rows, err := all[LinkUse](r, `SELECT l.id, l.title, min(i.id) FROM item i CROSS JOIN list l ON l.id = i.list_id
		WHERE i.link_key = ?2 AND l.id <> ?3 AND `+visibleList("l", "?1")+` GROUP BY i.list_id ORDER BY l.updated_at DESC LIMIT ?4`,
		by.UserID, key, listID, maxLinkUses)
	total = len(rows)
	return rows[:min(limit, total)], total, err
}
