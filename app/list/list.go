// Package list has the operations on lists, their items and their members. Names on the wire are snake_case.
package list

import (
	"cmp"
	"log/slog"
	"strings"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/limit"
	"hearth/app/op"
	"hearth/store"
)

// Service has the operations on lists and items. It is safe for concurrent use.
type Service struct {
	Operations

	db       *store.DB
	cursors  *core.Cursors
	limits   *op.Limits
	previews previews
	log      *slog.Logger
}

// Config configures a Service.
type Config struct {
	DB        *store.DB
	Limits    *op.Limits    // shared by all services; nil has no limits
	CursorKey []byte        // at least 32 bytes; encrypts the cursors of searches; random if empty
	Fetch     *fetch.Client // reads pages for previews; nil reads none
	Log       *slog.Logger  // slog.Default() if nil
}

// New returns the service.
func New(c Config) *Service {
	s := &Service{db: c.DB, limits: c.Limits, log: cmp.Or(c.Log, slog.Default()), cursors: core.NewCursors(c.CursorKey)}
	s.previews.fetch, s.previews.places = c.Fetch, limit.NewSlots(previewsAtOnce, previewsOfOne)
	s.Operations = s.operations(c.Limits, c.DB)
	return s
}

// The visibilities of a list.
const (
	Public     = "public"      // everybody may read
	PublicEdit = "public-edit" // everybody may also add
	Unlisted   = "unlisted"    // every account may read
	Private    = "private"     // the owner and the members may read
)

// List is a list as shown to the caller.
type List struct {
	ID           string     `json:"id" format:"uuid"`
	Title        string     `json:"title" read:"others"`
	Description  string     `json:"description" read:"others"`
	Visibility   string     `json:"visibility" enum:"public|public-edit|unlisted|private"`
	OwnerID      string     `json:"owner_id" format:"uuid"`
	OwnerName    string     `json:"owner_name" read:"own" doc:"“A member” if the owner hides from the caller."`
	OwnerHidden  bool       `json:"-"`            // for pages
	OwnerAvatar  string     `json:"-" read:"own"` // for pages
	Slug         string     `json:"slug" read:"own" doc:"Words of the title, for use in an address; not unique."`
	ItemCount    int        `json:"item_count" read:"own"`
	Role         *string    `json:"role" enum:"owner|editor|viewer" doc:"The caller's; null for everybody else."`
	CreatedAt    store.Time `json:"created_at"`
	UpdatedAt    store.Time `json:"updated_at" doc:"Moves when the list or one of its items changes. It is the list's version."`
	Moderated    bool       `json:"moderated" doc:"What is added without an account waits for the owner or an editor."`
	Checkable    bool       `json:"checkable" doc:"Its items can be checked off. Without it, their checks are kept and hidden."`
	CheckedCount *int       `json:"checked_count,omitzero" read:"own" doc:"How many of its items are checked off; only of a checkable list."`
}

// Path returns the path of the page of the list, with its title.
func (l List) Path() string { return "/list/" + l.ID + "/" + l.Slug }

func listOf(l store.List) List {
	out := List{
		ID: l.ID, Title: l.Title, Description: l.Description, Visibility: l.Visibility, OwnerID: l.OwnerID, OwnerName: l.OwnerName,
		OwnerAvatar: l.OwnerAvatar, Slug: l.Slug, ItemCount: l.ItemCount, Role: core.OrNil(l.Role), CreatedAt: l.CreatedAt,
		UpdatedAt: l.UpdatedAt, Moderated: l.Moderated, Checkable: l.Checkable,
	}
	if l.OwnerName == "" {
		out.OwnerName, out.OwnerHidden = hiddenName, true
	}
	if l.Checkable {
		out.CheckedCount = &l.CheckedCount
	}
	return out
}

// Item is one entry of a list.
type Item struct {
	ID           string     `json:"id" format:"uuid"`
	ListID       string     `json:"list_id" format:"uuid"`
	Content      string     `json:"content" read:"others"`
	Metadata     core.JSON  `json:"metadata" read:"own" format:"object" doc:"An object as it was sent, or null."`
	Position     int        `json:"position" read:"own" doc:"0 for the first; without gaps."`
	AuthorID     *string    `json:"author_id" format:"uuid" doc:"Null without an account, and if the author hides from the caller."`
	AuthorName   string     `json:"author_name" read:"own" doc:"“Anonymous (reporter)” without an account, “A member” if hidden."`
	SourceURL    *string    `json:"source_url" read:"own"`
	SourceNote   *string    `json:"source_note" read:"own" doc:"For what was added without an account: who reported it."`
	StarCount    int        `json:"star_count" read:"own"`
	Starred      bool       `json:"starred" read:"own" doc:"Whether the caller has starred it."`
	CommentCount int        `json:"comment_count" read:"own"`
	CreatedAt    store.Time `json:"created_at"`
	UpdatedAt    store.Time `json:"updated_at" doc:"It is the item's version."`

	Checked       *bool       `json:"checked,omitzero" doc:"Whether it is checked off; only of items of a checkable list."`
	CheckedAt     *store.Time `json:"checked_at,omitzero" doc:"Since when it is checked off."`
	CheckedBy     *string     `json:"checked_by,omitzero" read:"own" format:"uuid" doc:"Who checked it off, unless they are gone or hidden."`
	CheckedByName *string     `json:"checked_by_name,omitzero" read:"others"`
}

const (
	// Anonymous is who reports an item without a name.
	Anonymous = "Anonymous"
	// hiddenName replaces the name of a person that the reader may not find.
	hiddenName = "A member"
)

func itemOf(i store.Item, position int) Item {
	out := Item{
		ID: i.ID, ListID: i.ListID, Content: i.Content, Metadata: core.JSON(i.Metadata), Position: position, AuthorID: core.OrNil(i.AuthorID),
		AuthorName: i.AuthorName, SourceURL: core.OrNil(i.SourceURL), SourceNote: core.OrNil(i.SourceNote), StarCount: i.StarCount,
		Starred: i.Starred, CommentCount: i.CommentCount, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
	if i.Checkable {
		out.Checked = &i.Checked
	}
	if i.Checked {
		out.CheckedAt, out.CheckedBy, out.CheckedByName = &i.CheckedAt, core.OrNil(i.CheckedBy), core.OrNil(i.CheckedByName)
	}
	switch {
	case i.Anonymous && i.SourceNote == Anonymous:
		out.AuthorName = Anonymous
	case i.Anonymous:
		out.AuthorName = Anonymous + " (" + i.SourceNote + ")"
	case i.AuthorHidden:
		out.AuthorName = hiddenName
	case i.AuthorID == "":
		out.AuthorName = "Former member"
	}
	return out
}

// itemsOf returns the items of a list from the position first on.
func itemsOf(rows []store.Item, first int) []Item {
	out := make([]Item, len(rows))
	for n, row := range rows {
		out[n] = itemOf(row, first+n)
	}
	return out
}

// ListOut is one list.
type ListOut struct {
	List List `json:"list"`
}

// Version implements op.Versioned.
func (o ListOut) Version() string { return o.List.UpdatedAt.String() }

// ItemOut is one item.
type ItemOut struct {
	Item Item `json:"item"`
}

// Version implements op.Versioned.
func (o ItemOut) Version() string { return o.Item.UpdatedAt.String() }

// unchanged checks an If-Match header, which may be "*" or absent. Another version is a Precondition error
// with the current version.
func unchanged(ifMatch string, current store.Time) error {
	if ifMatch == "" {
		return nil
	}
	version := current.String()
	for tag := range strings.SplitSeq(ifMatch, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" {
			return nil
		}
		// The part after the slash changes without an edit, for example with a star.
		if tag, _, _ = strings.Cut(strings.Trim(tag, `"`), "/"); tag == version {
			return nil
		}
	}
	e := core.New(core.Precondition, "version_mismatch",
		"This was changed by someone else in the meantime, and nothing was saved. Read it again, and send the change with its current version.")
	e.Version = version
	return e
}

// ListsIn is the input of Lists.
type ListsIn struct {
	Public bool `query:"public" json:"-" doc:"Only lists that everybody may read. Required to be true without a credential."`
	Mine   bool `query:"mine" json:"-" doc:"Only your own lists and those shared with you."`
	Limit  int  `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Offset int  `query:"offset" json:"-" min:"0"`
}

// ListsOut is a page of an index, latest change first.
type ListsOut struct {
	Lists  []List `json:"lists"`
	Total  int    `json:"total" doc:"How many lists there are in all."`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
}

// lists returns public lists, the caller's own and shared lists, or all that the caller may see. The public
// index needs no account.
func lists(r *store.Reader, by store.Viewer, in ListsIn) (ListsOut, error) {
	out := ListsOut{Limit: in.Limit, Offset: in.Offset}
	scope := store.ListedLists
	switch {
	case in.Mine && in.Public:
		return out, core.InvalidField("mine", "mine and public are different indexes. Send one of them.")
	case in.Public || by.Kind == store.PublicKey && !in.Mine:
		scope = store.PublicLists
	case in.Mine:
		scope = store.OwnLists
		fallthrough
	default:
		// The public index is for everybody, the others are an account's.
		if err := op.ListOwnRead.Check(by, op.ReadOnly); err != nil {
			return out, err
		}
	}
	rows, total, err := r.Lists(by, scope, in.Limit, in.Offset)
	out.Lists, out.Total = core.Map(rows, listOf), total
	return out, err
}

// browse returns the public lists and, for accounts, those of all members.
func browse(r *store.Reader, by store.Viewer, in ListsIn) (ListsOut, error) {
	rows, total, err := r.Lists(by, store.SharedLists, in.Limit, in.Offset)
	return ListsOut{core.Map(rows, listOf), total, in.Limit, in.Offset}, err
}

// GetListIn is the input of GetList.
type GetListIn = core.ByID

func getList(r *store.Reader, by store.Viewer, in GetListIn) (ListOut, error) {
	l, err := r.List(by, in.ID)
	return ListOut{listOf(l)}, err
}

// CreateListIn is the input of CreateList.
type CreateListIn struct {
	Title       string    `json:"title" required:"true" min:"1" max:"200" line:"true" plain:"true"`
	Description string    `json:"description" max:"2000"`
	Visibility  string    `json:"visibility" enum:"public|public-edit|unlisted|private" default:"private"`
	Items       []NewItem `json:"items" max:"100" doc:"The first items, in order."`
	Moderated   bool      `json:"moderated" doc:"Holds what is added without an account; it waits for the owner or an editor."`
	Checkable   bool      `json:"checkable" doc:"Its items can be checked off."`
}

func createList(tx *store.Tx, by store.Viewer, in CreateListIn) (out ListOut, err error) {
	rows, err := rowsOf(in.Items)
	if err != nil {
		return out, err
	}
	return insertList(tx, by, store.List{Title: in.Title, Description: in.Description, Visibility: in.Visibility, Moderated: in.Moderated,
		Checkable: in.Checkable}, rows)
}

// insertList adds a list of by's account with its items.
func insertList(tx *store.Tx, by store.Viewer, l store.List, items []store.Item) (out ListOut, err error) {
	l.OwnerID, l.Slug = by.UserID, Slug(l.Title)
	if l, err = tx.InsertList(l); err != nil {
		return out, err
	}
	for _, i := range items {
		i.ListID, i.AuthorID = l.ID, by.UserID
		if _, _, err := tx.InsertItem(i); err != nil {
			return out, err
		}
	}
	return getList(&tx.Reader, by, core.ByID{ID: l.ID})
}

// UpdateListIn is the input of UpdateList. Omitted members keep their value.
type UpdateListIn struct {
	ID          string           `path:"id" json:"-"`
	Title       core.Opt[string] `json:"title,omitzero" notnull:"true" min:"1" max:"200" line:"true" plain:"true"`
	Description core.Opt[string] `json:"description,omitzero" max:"2000" doc:"Null or empty clears it."`
	Visibility  core.Opt[string] `json:"visibility,omitzero" notnull:"true" enum:"public|public-edit|unlisted|private" doc:"Owner only."`
	Moderated   core.Opt[bool]   `json:"moderated,omitzero" notnull:"true" doc:"Only the owner changes it."`
	Checkable   core.Opt[bool]   `json:"checkable,omitzero" notnull:"true"`
	IfMatch     string           `header:"If-Match" json:"-" max:"200" doc:"The expected updated_at or ETag. Else nothing changes."`
}

// updateList changes a list. Editors may change only title, description and checkable. Streams end for
// viewers who lose access.
func updateList(tx *store.Tx, by store.Viewer, in UpdateListIn) (out ListOut, err error) {
	old, err := listFor(&tx.Reader, by, in.ID, MayEdit)
	if err == nil {
		err = unchanged(in.IfMatch, old.UpdatedAt)
	}
	if err != nil {
		return out, err
	}
	l := old
	if in.Title.Set {
		l.Title, l.Slug = in.Title.V, Slug(in.Title.V)
	}
	in.Description.Into(&l.Description)
	in.Visibility.Into(&l.Visibility)
	in.Moderated.Into(&l.Moderated)
	in.Checkable.Into(&l.Checkable)
	shown := l.Visibility != old.Visibility
	if shown || l.Moderated != old.Moderated {
		err = MayOwn(listOf(old))
	}
	if err == nil && shown && l.Visibility != Private {
		err = limit.ListsShown.CallStored(tx, by)
	}
	if err == nil && l != old {
		err = cmp.Or(tx.UpdateList(old, l), tx.Emit(store.Event{Topic: l.ID, Kind: listUpdated, ObjectID: l.ID, ActorID: by.UserID}))
	}
	if err != nil {
		return out, err
	}
	return getList(&tx.Reader, by, core.ByID{ID: l.ID})
}

// DeleteListIn is the input of DeleteList.
type DeleteListIn struct {
	ID      string `path:"id" json:"-"`
	IfMatch string `header:"If-Match" json:"-" max:"200" doc:"The version of the list that is to be deleted."`
}

func deleteList(tx *store.Tx, by store.Viewer, in DeleteListIn) (out core.None, err error) {
	l, err := listFor(&tx.Reader, by, in.ID, MayOwn)
	if err == nil {
		err = unchanged(in.IfMatch, l.UpdatedAt)
	}
	if err == nil {
		err = cmp.Or(tx.DeleteList(l), tx.Emit(store.Event{Topic: l.ID, Kind: listDeleted, ObjectID: l.ID, ActorID: by.UserID}))
	}
	return out, err
}

// listFor returns a list to which by may do what a rule permits.
func listFor(r *store.Reader, by store.Viewer, id string, rule func(List) error) (store.List, error) {
	l, err := r.List(by, id)
	if err == nil {
		err = rule(listOf(l))
	}
	return l, err
}
