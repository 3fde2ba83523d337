package list

import (
	"time"

	"hearth/app/core"
	"hearth/app/op"
)

// Operations is everything that callers can do with lists and items.
type Operations struct {
	Lists      *op.Func[ListsIn, ListsOut]
	CreateList *op.Func[CreateListIn, ListOut]
	GetList    *op.Func[GetListIn, ListOut]
	UpdateList *op.Func[UpdateListIn, ListOut]
	DeleteList *op.Func[GetListIn, core.None]

	Items      *op.Func[ItemsIn, ItemsOut]
	GetItem    *op.Func[GetItemIn, ItemOut]
	AddItem    *op.Func[AddItemIn, ItemOut]
	UpdateItem *op.Func[UpdateItemIn, ItemOut]
	DeleteItem *op.Func[GetItemIn, core.None]

	Members      *op.Func[GetListIn, MembersOut]
	PutMember    *op.Func[PutMemberIn, MemberOut]
	DeleteMember *op.Func[DeleteMemberIn, core.None]
}

// Described returns a service that describes its operations and has no
// database: calling one of them panics.
func Described() *Service { return New(nil, nil) }

func (s *Service) operations(l *op.Limits) Operations {
	return Operations{
		Lists:      op.New(l, s.lists, op.Spec{Summary: "List lists", Guard: op.ListRead, Hints: op.ReadOnly}),
		CreateList: op.New(l, s.createList, op.Spec{Summary: "Create a list", Guard: op.ListWrite, Stores: true}),
		GetList:    op.New(l, s.getList, op.Spec{Summary: "Get a list", Guard: op.ListRead, Hints: op.ReadOnly}),
		UpdateList: op.New(l, s.updateList, op.Spec{Summary: "Update a list", Guard: op.ListWrite, Hints: op.Idempotent}),
		DeleteList: op.New(l, s.deleteList, op.Spec{Summary: "Delete a list", Guard: op.ListWrite, Hints: op.Destructive}),

		Items:      op.New(l, s.items, op.Spec{Summary: "List the items of a list", Guard: op.ListRead, Hints: op.ReadOnly}),
		GetItem:    op.New(l, s.getItem, op.Spec{Summary: "Get an item", Guard: op.ListRead, Hints: op.ReadOnly}),
		AddItem:    op.New(l, s.addItem, op.Spec{Summary: "Add an item", Guard: op.ListAdd, Quotas: []op.Quota{anonymousItems()}, Stores: true}),
		UpdateItem: op.New(l, s.updateItem, op.Spec{Summary: "Update or move an item", Guard: op.ListWrite, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}, Stores: true}),
		DeleteItem: op.New(l, s.deleteItem, op.Spec{Summary: "Delete an item", Guard: op.ListWrite, Hints: op.Destructive}),

		Members:      op.New(l, s.members, op.Spec{Summary: "List the members of a list", Guard: op.ListOwnRead, Hints: op.ReadOnly}),
		PutMember:    op.New(l, s.putMember, op.Spec{Summary: "Share a list, or change a member's role", Guard: op.ListWrite, Hints: op.Idempotent}),
		DeleteMember: op.New(l, s.deleteMember, op.Spec{Summary: "Remove a member, or leave a list", Guard: op.ListWrite, Hints: op.Destructive}),
	}
}

// anonymousItems bounds how many items one network adds to one list within an
// hour without an account.
func anonymousItems() op.Quota {
	return op.Quota{
		Name: "item", Max: 60, Window: time.Hour, Code: "too_many_items",
		Msg: "Without an account, one address can add 60 items an hour to a list. Wait, or use a key of your own.",
	}
}
