package lane

import (
	"hearth/app/core"
	"hearth/app/op"
)

// Operations is everything that callers can do with thoughts and Streams.
type Operations struct {
	ListThoughts  *op.Func[ListThoughtsIn, ListThoughtsOut]
	GetThought    *op.Func[ThoughtIn, Thought]
	CreateThought *op.Func[CreateThoughtIn, Thought]
	UpdateThought *op.Func[UpdateThoughtIn, Thought]
	DeleteThought *op.Func[ThoughtIn, core.None]

	PinThought    *op.Func[PinThoughtIn, PinThoughtOut]
	UnpinThought  *op.Func[UnpinThoughtIn, core.None]
	ListStream    *op.Func[ListStreamIn, ListStreamOut]
	CollapseEntry *op.Func[CollapseEntryIn, CollapseEntryOut]
}

func (s *Service) operations(l *op.Limits) Operations {
	return Operations{
		ListThoughts: op.New(l, s.listThoughts, op.Spec{Summary: "List your thoughts", Guard: op.Member, Hints: op.ReadOnly}),
		GetThought:   op.New(l, s.getThought, op.Spec{Summary: "Get one of your thoughts", Guard: op.Member, Hints: op.ReadOnly}),
		CreateThought: op.New(l, s.createThought, op.Spec{
			Summary: "Write down a thought, or capture a message", Guard: op.Member, Errors: []core.Kind{core.NotFound}, Stores: true,
		}),
		UpdateThought: op.New(l, s.updateThought, op.Spec{Summary: "Change a thought", Guard: op.Member, Hints: op.Idempotent, Stores: true}),
		DeleteThought: op.New(l, s.deleteThought, op.Spec{Summary: "Delete a thought", Guard: op.Member, Hints: op.Destructive}),

		PinThought: op.New(l, s.pinThought, op.Spec{
			Summary: "Pin a thought to a conversation", Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}, Stores: true,
		}),
		UnpinThought:  op.New(l, s.unpinThought, op.Spec{Summary: "Unpin a thought", Guard: op.Member, Hints: op.Destructive}),
		ListStream:    op.New(l, s.listStream, op.Spec{Summary: "List the Stream of a conversation", Guard: op.Member, Hints: op.ReadOnly}),
		CollapseEntry: op.New(l, s.collapseEntry, op.Spec{Summary: "Collapse an entry of a Stream for yourself", Guard: op.Member, Hints: op.Idempotent}),
	}
}
