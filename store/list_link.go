package store

import (
	"net/url"
	"slices"
	"strings"
)

// LinkKey returns a link in the form in which links are compared: two that
// differ only in the scheme, "www.", the case of the host, a default port, the
// order of their parameters, parameters that count visits, a fragment or a
// slash at the end have one key. It is "" for text that is not a link.
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
	ids, err := all[string](&tx.Reader, `SELECT i.id FROM item i WHERE i.link_key = ? AND i.list_id = ? ORDER BY i.rank LIMIT 1
		/* server: of the list that is added to */`, key, listID)
	if len(ids) > 0 {
		id = ids[0]
	}
	return id, err
}

// LinkUse is another list that has the link of an item.
type LinkUse struct {
	ListID string
	Title  string
	ItemID string
}

const (
	maxLinkUses  = 1000 // lists with one link that are counted
	maxLinkLists = 5000 // lists with one link that are looked at, those that are not listed included
)

// LinkUses returns up to limit lists other than listID, of those that are listed
// for by, that have an item with the link, and how many there are, up to 1,000. It
// looks at each list once, so that the items of one do not keep others from being found.
func (r *Reader) LinkUses(by Viewer, listID, link string, limit int) (uses []LinkUse, total int, err error) {
	key := LinkKey(link)
	if key == "" {
		return nil, 0, nil
	}
	rows, err := all[LinkUse](r, `WITH RECURSIVE f (list_id, n) AS (SELECT (SELECT min(i.list_id) FROM item i WHERE i.link_key = ?2), 1
			UNION ALL SELECT (SELECT min(i.list_id) FROM item i WHERE i.link_key = ?2 AND i.list_id > f.list_id), f.n + 1 FROM f WHERE f.list_id IS NOT NULL AND f.n < ?5)
		SELECT p.id, p.title, (SELECT min(i.id) FROM item i WHERE i.link_key = ?2 AND i.list_id = p.id) FROM (
			SELECT l.id, l.title, l.updated_at FROM f CROSS JOIN list l ON l.id = f.list_id WHERE l.id <> ?3 AND `+listedList("l", "?1")+` LIMIT ?4) p
		ORDER BY p.updated_at DESC /* scan: a bounded number of lists with one link */`, by.UserID, key, listID, maxLinkUses, maxLinkLists)
	total = len(rows)
	return rows[:min(limit, total)], total, err
}
