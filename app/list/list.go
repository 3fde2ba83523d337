// Package list has the operations on lists, their items and their members. Names on the wire are snake_case.
package list

import (
	"cmp"
	"log/slog"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/op"
	"hearth/store"
)

// Service has the operations on lists and items. It is safe for concurrent use.
type Service struct {
	Operations

	db       *store.DB
	cursors  *core.Cursors
	limits   *op.Limits
	previews *previews
	log      *slog.Logger
}

// Config configures a Service.
type Config struct {
	DB        *store.DB
	Limits    *op.Limits    // shared by all services; nil has no limits
	CursorKey []byte        // at least 32 bytes; encrypts the cursors of searches
	Fetch     *fetch.Client // reads pages for previews; nil reads none
	Log       *slog.Logger  // slog.Default() if nil
}

// New returns the service.
func New(c Config) *Service {
	s := &Service{db: c.DB, previews: newPreviews(c.Fetch), limits: c.Limits, log: cmp.Or(c.Log, slog.Default())}
	if c.CursorKey != nil {
		s.cursors = core.NewCursors(c.CursorKey)
	}
	s.Operations = s.operations(c.Limits)
	return s
}

// The visibilities of a list.
const (
	Public     = "public"      // everybody may read
	PublicEdit = "public-edit" // everybody may also add
	Unlisted   = "unlisted"    // every account that knows the id may read
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
	Checkable    bool       `json:"checkable" doc:"Its items can be checked off, like those of a shopping list. While this is off, what was checked off is kept and not shown."`
	CheckedCount *int       `json:"checked_count,omitzero" read:"own" doc:"How many of its items are checked off; only of a checkable list."`
}

func listOf(l store.List) List {
	out := List{
		ID: l.ID, Title: l.Title, Description: l.Description, Visibility: l.Visibility, OwnerID: l.OwnerID, OwnerName: l.OwnerName,
		OwnerAvatar: l.OwnerAvatar,
		Slug:        l.Slug, ItemCount: l.ItemCount, Role: core.OrNil(l.Role), CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
		Moderated: l.Moderated,
		Checkable: l.Checkable,
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
	AuthorID     *string    `json:"author_id" format:"uuid" doc:"Null for what was added without an account, and if the author hides from the caller."`
	AuthorName   string     `json:"author_name" read:"own" doc:"“Anonymous (reporter)” for what was added without an account, “A member” if the author hides from the caller."`
	SourceURL    *string    `json:"source_url" read:"own"`
	SourceNote   *string    `json:"source_note" read:"own" doc:"For what was added without an account: who reported it."`
	StarCount    int        `json:"star_count" read:"own"`
	Starred      bool       `json:"starred" read:"own" doc:"Whether the caller has starred it."`
	CommentCount int        `json:"comment_count" read:"own"`
	CreatedAt    store.Time `json:"created_at"`
	UpdatedAt    store.Time `json:"updated_at" doc:"It is the item's version."`

	Checked       *bool       `json:"checked,omitzero" doc:"Whether it is checked off; only of items of a checkable list."`
	CheckedAt     *store.Time `json:"checked_at,omitzero" doc:"Since when it is checked off."`
	CheckedBy     *string     `json:"checked_by,omitzero" read:"own" format:"uuid" doc:"Who checked it off, unless their account is gone or they hide from the caller."`
	CheckedByName *string     `json:"checked_by_name,omitzero" read:"others"`
}

// hiddenName replaces the name of a person that the reader may not find.
const hiddenName = "A member"

func itemOf(i store.Item, position int) Item {
	out := Item{
		ID: i.ID, ListID: i.ListID, Content: i.Content, Metadata: core.JSON(i.Metadata), Position: position, AuthorID: core.OrNil(i.AuthorID),
		AuthorName: i.AuthorName,
		SourceURL:  core.OrNil(i.SourceURL), SourceNote: core.OrNil(i.SourceNote), StarCount: i.StarCount, Starred: i.Starred,
		CommentCount: i.CommentCount,
		CreatedAt:    i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
	if i.Checkable {
		out.Checked = &i.Checked
	}
	if i.Checked {
		out.CheckedAt, out.CheckedBy, out.CheckedByName = &i.CheckedAt, core.OrNil(i.CheckedBy), core.OrNil(i.CheckedByName)
	}
	switch {
	case i.Anonymous:
		out.AuthorName = "Anonymous (" + i.SourceNote + ")"
	case i.AuthorHidden:
		out.AuthorName = hiddenName
	case i.AuthorID == "":
		out.AuthorName = "Former member"
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

const authorTime = 24 * time.Hour

const maxItems = 20_000
