package list

import (
	"cmp"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// SearchIn is the input of Search.
type SearchIn struct {
	Q      string `query:"q" json:"-" any:"true" required:"true" doc:"All words, also as prefixes, or \"phrases\". 50 words count."`
	Kind   string `query:"kind" json:"-" enum:"all|lists|items" default:"all"`
	Limit  int    `query:"limit" json:"-" default:"20" min:"1" max:"100" clamp:"true" doc:"Lists, and items, in a page."`
	Cursor string `query:"cursor" json:"-" doc:"The next_cursor of the page before; it is valid with the same q and kind."`
}

// SearchOut is a page of results, newest first.
type SearchOut struct {
	Lists      []List      `json:"lists"`
	Items      []FoundItem `json:"items"`
	NextCursor *string     `json:"next_cursor,omitzero" doc:"Absent at the end. A page may be empty and still have one."`
}

// FoundItem is an item in the results.
type FoundItem struct {
	ID         string     `json:"id" format:"uuid"`
	ListID     string     `json:"list_id" format:"uuid"`
	ListTitle  string     `json:"list_title"`
	Content    string     `json:"content"`
	Highlights [][]int    `json:"highlights" doc:"The matches in content: where each begins and ends, in code points; at most the first 100."`
	SourceURL  *string    `json:"source_url"`
	AuthorName string     `json:"author_name"`
	StarCount  int        `json:"star_count"`
	UpdatedAt  store.Time `json:"updated_at"`
}

// searchPosition is the position of a search: 0 begins, done has ended.
type searchPosition struct{ Lists, Items int64 }

const searchDone = -1

// search finds lists and items with all words of q. It covers the caller's indexes. Any text is a valid search.
func (s *Service) search(r *store.Reader, by store.Viewer, in SearchIn) (out SearchOut, err error) {
	bind := strings.Join([]string{"lists", by.UserID, in.Kind, in.Q}, "\x00")
	var at searchPosition
	if in.Cursor != "" {
		if err := s.cursors.Open(bind, in.Cursor, &at); err != nil {
			return out, err
		}
	}
	terms := searchTerms(in.Q)
	if len(terms) == 0 {
		return out, nil
	}
	if in.Kind == "items" {
		at.Lists = searchDone
	}
	if in.Kind == "lists" {
		at.Items = searchDone
	}
	if at.Lists != searchDone {
		found, err := r.SearchLists(by, store.ListSearch{Terms: terms, Before: at.Lists}, in.Limit)
		if err != nil {
			return out, err
		}
		out.Lists, at.Lists = core.Map(found.Rows, listOf), cmp.Or(found.Next, searchDone)
	}
	if at.Items != searchDone {
		found, err := r.SearchItems(by, store.ListSearch{Terms: terms, Before: at.Items}, in.Limit)
		if err != nil {
			return out, err
		}
		out.Items = core.Map(found.Rows, func(i store.FoundItem) FoundItem { return foundItem(i, terms) })
		at.Items = cmp.Or(found.Next, searchDone)
	}
	if at.Lists != searchDone || at.Items != searchDone {
		out.NextCursor = new(s.cursors.Seal(bind, at))
	}
	return out, nil
}

func foundItem(i store.FoundItem, terms []store.Term) FoundItem {
	item := itemOf(i.Item, 0)
	return FoundItem{ID: item.ID, ListID: item.ListID, ListTitle: i.ListTitle, Content: item.Content,
		Highlights: store.Marks(item.Content, terms),
		SourceURL:  item.SourceURL, AuthorName: item.AuthorName, StarCount: item.StarCount, UpdatedAt: item.UpdatedAt}
}

const maxQuery = 200

func searchTerms(q string) (terms []store.Term) {
	q = strings.ToValidUTF8(core.FirstRunes(q, maxQuery), " ")
	for n, part := range strings.Split(q, `"`) {
		terms = store.AddTerm(terms, part, n%2 == 1)
	}
	return terms
}
