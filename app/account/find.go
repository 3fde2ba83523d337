package account

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// FindPeopleIn is a search for people or, without words, a request for a page of the directory.
type FindPeopleIn struct {
	Q      string `query:"q" json:"-" any:"true" max:"254" line:"true" doc:"Beginnings of words of the name, or an exact e-mail address. Without it, everybody who can be found by name is listed."`
	Cursor string `query:"cursor" json:"-" max:"2048" doc:"The nextCursor of the page before, of a list without q."`
	Limit  int    `query:"limit" json:"-" default:"20" min:"1" max:"50" clamp:"true"`
}

// FindPeopleOut has the people found, ordered by name.
type FindPeopleOut struct {
	People     []core.PublicUser `json:"people"`
	NextCursor string            `json:"nextCursor,omitzero" doc:"For the next page of a list without q; absent at the end"`
}

func (s *Service) findPeople(ctx context.Context, by store.Viewer, in FindPeopleIn) (out FindPeopleOut, err error) {
	if in.Q == "" {
		return s.directory(ctx, by, in)
	}
	if in.Cursor != "" { // no page of a search has a nextCursor
		e := core.New(core.Invalid, "bad_cursor", "A search has one page. Search again without a cursor.")
		e.Field = "cursor"
		return out, e
	}
	var found []store.User
	var reached bool // by the address, for the first time
	err = s.db.Read(ctx, func(r *store.Reader) error {
		u, err := r.FindPersonByEmail(by, in.Q)
		if err == nil && sameAddress(u.Email, in.Q) {
			found = []store.User{u}
			before, err := r.HasFound(by, u)
			reached = !before
			return err
		}
		if err != nil && !errors.Is(err, store.ErrNoRow) {
			return err
		}
		if !core.ValidFormat("email", in.Q) { // anybody can have a name that reads like an address
			found, err = r.FindPeople(by, in.Q, in.Limit)
			return err
		}
		return nil
	})
	if err == nil && reached && by.CanWrite {
		err = s.db.Write(ctx, func(tx *store.Tx) error { return tx.FoundByAddress(by, found[0].ID) })
	}
	out.People = core.Map(found, core.PublicUserOf)
	return out, err
}

type position struct {
	Name string `json:"n"`
	ID   string `json:"i"`
}

func (s *Service) directory(ctx context.Context, by store.Viewer, in FindPeopleIn) (out FindPeopleOut, err error) {
	bind := "people " + by.UserID
	var from position
	if in.Cursor != "" {
		if err := s.cursors.Open(bind, in.Cursor, &from); err != nil {
			return out, err
		}
	}
	err = s.db.Read(ctx, func(r *store.Reader) error {
		found, err := r.Directory(by, from.Name, from.ID, in.Limit+1)
		if len(found) > in.Limit {
			found = found[:in.Limit]
			last := found[in.Limit-1]
			out.NextCursor = s.cursors.Seal(bind, position{store.NameKey(last.Name), last.ID})
		}
		out.People = core.Map(found, core.PublicUserOf)
		return err
	})
	return out, err
}
