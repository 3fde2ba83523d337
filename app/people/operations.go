package people

import (
	"hearth/app/core"
	"hearth/app/op"
)

// Operations is everything that callers can do about other people.
type Operations struct {
	ListBlocks  *op.Func[core.None, []Block]
	BlockUser   *op.Func[UserIn, Block]
	UnblockUser *op.Func[UserIn, core.None]
}

func (s *Service) operations(l *op.Limits) Operations {
	return Operations{
		ListBlocks:  op.New(l, s.listBlocks, op.Spec{Summary: "List the people you block", Guard: op.Member, Hints: op.ReadOnly}),
		BlockUser:   op.New(l, s.blockUser, op.Spec{Summary: "Block a person", Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Invalid, core.Conflict}}),
		UnblockUser: op.New(l, s.unblockUser, op.Spec{Summary: "Unblock a person", Guard: op.Member}),
	}
}

// UserIn names a person.
type UserIn struct {
	UserID string `path:"id" json:"-"`
}
