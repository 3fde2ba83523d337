package list

import (
	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/op"
	"hearth/store"
)

// Operations has all operations on lists and items.
type Operations struct {
	Lists      *op.Func[ListsIn, ListsOut]
	CreateList *op.Func[CreateListIn, ListOut]
	GetList    *op.Func[GetListIn, ListOut]
	UpdateList *op.Func[UpdateListIn, ListOut]
	DeleteList *op.Func[DeleteListIn, core.None]
	ImportList *op.Func[ImportIn, ListOut]
	PlanImport *op.Func[ImportIn, Portable]
	HandOver   *op.Func[HandOverIn, ListOut]
	Search     *op.Func[SearchIn, SearchOut]
	Feed       *op.Func[GetListIn, Feed]

	Items      *op.Func[ItemsIn, ItemsOut]
	GetItem    *op.Func[GetItemIn, GetItemOut]
	AddItem    *op.Func[AddItemIn, AddItemOut]
	AddItems   *op.Func[AddItemsIn, AddItemsOut]
	UpdateItem *op.Func[UpdateItemIn, ItemOut]
	DeleteItem *op.Func[DeleteItemIn, core.None]

	StarItem      *op.Func[GetItemIn, ItemOut]
	UnstarItem    *op.Func[GetItemIn, ItemOut]
	Comments      *op.Func[CommentsIn, CommentsOut]
	AddComment    *op.Func[AddCommentIn, CommentOut]
	DeleteComment *op.Func[DeleteCommentIn, core.None]

	Queue           *op.Func[GetListIn, QueueOut]
	ApproveItem     *op.Func[ApproveItemIn, ItemOut]
	RejectItem      *op.Func[GetItemIn, core.None]
	GetReceipt      *op.Func[ReceiptIn, ReceiptOut]
	UpdateByReceipt *op.Func[UpdateByReceiptIn, ReceiptOut]
	DeleteByReceipt *op.Func[ReceiptIn, core.None]

	PreviewLink *op.Func[LinkPreviewIn, LinkPreview]
	LogError    *op.Func[LogErrorIn, core.None]

	Members      *op.Func[GetListIn, MembersOut]
	PutMember    *op.Func[PutMemberIn, MemberOut]
	DeleteMember *op.Func[DeleteMemberIn, core.None]
}

func (s *Service) operations(l *op.Limits, db *store.DB) Operations {
	versioned, conflict := []core.Kind{core.Precondition}, []core.Kind{core.Conflict}
	return Operations{
		Lists: op.Read(l, db, lists, op.Spec{Route: "GET /api/lists", Summary: "List lists", Guard: op.ListRead, Tagged: true}),
		CreateList: op.Write(l, db, createList, op.Spec{Route: "POST /api/lists 201", Summary: "Create a list", Guard: op.ListWrite,
			Stores: true}),
		GetList: op.Read(l, db, getList, op.Spec{Route: "GET /api/lists/{id}", Summary: "Get a list", Guard: op.ListRead, Tagged: true}),
		UpdateList: op.Write(l, db, updateList, op.Spec{Route: "PATCH /api/lists/{id}", Summary: "Update a list", Guard: op.ListWrite,
			Hints: op.Idempotent, Limits: []limit.Rate{limit.ListsShown}, Errors: versioned}),
		DeleteList: op.Write(l, db, deleteList, op.Spec{Route: "DELETE /api/lists/{id}", Summary: "Delete a list", Guard: op.ListWrite,
			Hints: op.Destructive, Errors: versioned}),
		ImportList: op.New(l, s.importList, op.Spec{Route: "POST /api/lists/import 201", Summary: "Import a list", Guard: op.ListWrite,
			Limits: []limit.Rate{limit.Imports}, Stores: true}),
		PlanImport: op.New(l, s.planImport, op.Spec{Summary: "Show what an import would add", Guard: op.ListOwnRead, Hints: op.ReadOnly,
			Limits: []limit.Rate{limit.ImportChecks}}),
		HandOver: op.Write(l, db, handOver, op.Spec{Route: "PUT /api/lists/{id}/owner", Summary: "Hand a list over to a member",
			Guard: op.ListWrite, Hints: op.Destructive, Errors: conflict}),
		Search: op.Read(l, db, s.search, op.Spec{Route: "GET /api/search", Summary: "Search lists and items", Guard: op.ListRead}),
		Feed:   op.Read(l, db, feed, op.Spec{Summary: "Get the feed of a list", Guard: op.ListRead}),

		Items: op.Read(l, db, items, op.Spec{Route: "GET /api/lists/{id}/items", Summary: "List the items of a list", Guard: op.ListRead,
			Tagged: true}),
		GetItem: op.Read(l, db, getItem, op.Spec{Route: "GET /api/lists/{id}/items/{item_id}", Summary: "Get an item", Guard: op.ListRead,
			Tagged: true}),
		AddItem: op.Write(l, db, addItem, op.Spec{Route: "POST /api/lists/{id}/items 201", Summary: "Add an item", Guard: op.ListAdd,
			Limits: []limit.Rate{limit.OpenListItems}, Errors: conflict, Stores: true}),
		AddItems: op.Write(l, db, addItems, op.Spec{Route: "POST /api/lists/{id}/items/batch 201", Summary: "Add items", Guard: op.ListWrite,
			Stores: true}),
		UpdateItem: op.New(l, s.updateItem, op.Spec{Route: "PATCH /api/lists/{id}/items/{item_id}", Summary: "Update or move an item",
			Guard: op.ListWrite, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict, core.Precondition}, Stores: true}),
		DeleteItem: op.Write(l, db, deleteItem, op.Spec{Route: "DELETE /api/lists/{id}/items/{item_id}", Summary: "Delete an item",
			Guard: op.ListWrite, Hints: op.Destructive, Errors: versioned}),

		StarItem: op.New(l, s.star, op.Spec{Route: "PUT /api/lists/{id}/items/{item_id}/star", Summary: "Star an item", Rate: limit.SmallWrites,
			Guard: op.ListWrite, Hints: op.Idempotent, Stores: true}),
		UnstarItem: op.New(l, s.unstar, op.Spec{Route: "DELETE /api/lists/{id}/items/{item_id}/star", Summary: "Take a star from an item",
			Rate: limit.SmallWrites, Guard: op.ListWrite, Hints: op.Idempotent}),
		Comments: op.Read(l, db, comments, op.Spec{Route: "GET /api/lists/{id}/items/{item_id}/comments",
			Summary: "List the comments of an item", Guard: op.ListRead, Tagged: true}),
		AddComment: op.Write(l, db, addComment, op.Spec{Route: "POST /api/lists/{id}/items/{item_id}/comments 201",
			Summary: "Comment on an item", Guard: op.ListWrite, Errors: conflict, Stores: true}),
		DeleteComment: op.Write(l, db, deleteComment, op.Spec{Route: "DELETE /api/lists/{id}/items/{item_id}/comments/{comment_id}",
			Summary: "Delete a comment", Guard: op.ListWrite, Hints: op.Destructive}),

		Queue: op.Read(l, db, queue, op.Spec{Route: "GET /api/lists/{id}/queue", Summary: "List items that wait for approval",
			Guard: op.ListOwnRead}),
		ApproveItem: op.Write(l, db, approveItem, op.Spec{Route: "POST /api/lists/{id}/queue/{item_id}/approve", Summary: "Approve an item",
			Guard: op.ListWrite, Errors: versioned, Stores: true}),
		RejectItem: op.Write(l, db, rejectItem, op.Spec{Route: "DELETE /api/lists/{id}/queue/{item_id}", Summary: "Reject an item",
			Guard: op.ListWrite, Hints: op.Destructive}),
		GetReceipt: op.Read(l, db, getReceipt, op.Spec{Route: "GET /api/receipts/{receipt}",
			Summary: "Get what was added without an account", Guard: op.Public}),
		UpdateByReceipt: op.Write(l, db, updateByReceipt, op.Spec{Route: "PATCH /api/receipts/{receipt}",
			Summary: "Change what was added without an account", Guard: op.Public, Hints: op.Idempotent, Limits: []limit.Rate{limit.Receipts},
			Stores: true}),
		DeleteByReceipt: op.Write(l, db, deleteByReceipt, op.Spec{Route: "DELETE /api/receipts/{receipt}",
			Summary: "Withdraw what was added without an account", Guard: op.Public, Hints: op.Destructive, Limits: []limit.Rate{limit.Receipts}}),

		PreviewLink: op.New(l, s.previewLink, op.Spec{Route: "GET /api/link-preview", Summary: "Preview a link", Guard: op.ListRead,
			Hints: op.ReadOnly | op.OpenWorld, Limits: []limit.Rate{limit.LinkPreviews}, Errors: []core.Kind{core.BadGateway}}),
		LogError: op.New(l, s.logError, op.Spec{Route: "POST /api/frontend-log", Summary: "Report an error of a page", Guard: op.Public,
			Limits: []limit.Rate{limit.PageErrors, limit.AllPageErrors}, Errors: []core.Kind{core.TooLarge}}),

		Members: op.Read(l, db, members, op.Spec{Route: "GET /api/lists/{id}/members", Summary: "List the members of a list",
			Guard: op.ListOwnRead}),
		PutMember: op.Write(l, db, s.putMember, op.Spec{Route: "PUT /api/lists/{id}/members/{user_id}",
			Summary: "Share a list, or change a member's role", Guard: op.ListWrite, Hints: op.Idempotent, Errors: conflict}),
		DeleteMember: op.Write(l, db, deleteMember, op.Spec{Route: "DELETE /api/lists/{id}/members/{user_id}",
			Summary: "Remove a member, or leave a list", Guard: op.ListWrite, Hints: op.Destructive}),
	}
}
