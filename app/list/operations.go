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
	Browse     *op.Func[ListsIn, ListsOut]
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
	public, read, own, write := op.Public.Spec, op.ListRead.Spec, op.ListOwnRead.Spec, op.ListWrite.Spec
	return Operations{
		Lists:      op.Read(l, db, lists, read("GET /api/lists", "List lists").Hint(op.Tagged)),
		Browse:     op.Read(l, db, browse, read("", "Browse lists")),
		CreateList: op.Write(l, db, createList, write("POST /api/lists 201", "Create a list").Hint(op.Stores)),
		GetList:    op.Read(l, db, getList, read("GET /api/lists/{id}", "Get a list").Hint(op.Tagged)),
		UpdateList: op.Write(l, db, updateList, write("PATCH /api/lists/{id}",
			"Update a list", core.Precondition).Hint(op.Idempotent).Limited(limit.ListsShown)),
		DeleteList: op.Write(l, db, deleteList, write("DELETE /api/lists/{id}", "Delete a list", core.Precondition).Hint(op.Destructive)),
		ImportList: op.New(l, s.importList, write("POST /api/lists/import 201", "Import a list").Hint(op.Stores).Limited(limit.Imports)),
		PlanImport: op.New(l, s.planImport, own("", "Show what an import would add").Hint(op.ReadOnly).Limited(limit.ImportChecks)),
		HandOver: op.Write(l, db, handOver, write("PUT /api/lists/{id}/owner",
			"Hand a list over to a member", core.Conflict).Hint(op.Destructive)),
		Search: op.Read(l, db, s.search, read("GET /api/search", "Search lists and items")),
		Feed:   op.Read(l, db, feed, read("", "Get the feed of a list")),

		Items:   op.Read(l, db, items, read("GET /api/lists/{id}/items", "List the items of a list").Hint(op.Tagged)),
		GetItem: op.Read(l, db, getItem, read("GET /api/lists/{id}/items/{item_id}", "Get an item").Hint(op.Tagged)),
		AddItem: op.Write(l, db, addItem, op.ListAdd.Spec("POST /api/lists/{id}/items 201",
			"Add an item", core.Conflict).Hint(op.Stores).Limited(limit.OpenListItems)),
		AddItems: op.Write(l, db, addItems, write("POST /api/lists/{id}/items/batch 201", "Add items").Hint(op.Stores)),
		UpdateItem: op.New(l, s.updateItem, write("PATCH /api/lists/{id}/items/{item_id}",
			"Update or move an item", core.Conflict, core.Precondition).Hint(op.Idempotent|op.Stores)),
		DeleteItem: op.Write(l, db, deleteItem, write("DELETE /api/lists/{id}/items/{item_id}",
			"Delete an item", core.Precondition).Hint(op.Destructive)),

		StarItem: op.New(l, s.star, write("PUT /api/lists/{id}/items/{item_id}/star",
			"Star an item").Hint(op.Idempotent|op.Stores).Limited(limit.SmallWrites)),
		UnstarItem: op.New(l, s.unstar, write("DELETE /api/lists/{id}/items/{item_id}/star",
			"Take a star from an item").Hint(op.Idempotent).Limited(limit.SmallWrites)),
		Comments: op.Read(l, db, comments, read("GET /api/lists/{id}/items/{item_id}/comments",
			"List the comments of an item").Hint(op.Tagged)),
		AddComment: op.Write(l, db, addComment, write("POST /api/lists/{id}/items/{item_id}/comments 201",
			"Comment on an item", core.Conflict).Hint(op.Stores)),
		DeleteComment: op.Write(l, db, deleteComment, write("DELETE /api/lists/{id}/items/{item_id}/comments/{comment_id}",
			"Delete a comment").Hint(op.Destructive)),

		Queue: op.Read(l, db, queue, own("GET /api/lists/{id}/queue", "List items that wait for approval")),
		ApproveItem: op.Write(l, db, approveItem, write("POST /api/lists/{id}/queue/{item_id}/approve",
			"Approve an item", core.Precondition).Hint(op.Stores)),
		RejectItem: op.Write(l, db, rejectItem, write("DELETE /api/lists/{id}/queue/{item_id}", "Reject an item").Hint(op.Destructive)),
		GetReceipt: op.Read(l, db, getReceipt, public("GET /api/receipts/{receipt}", "Get what was added without an account")),
		UpdateByReceipt: op.Write(l, db, updateByReceipt, public("PATCH /api/receipts/{receipt}",
			"Change what was added without an account").Hint(op.Idempotent|op.Stores).Limited(limit.Receipts)),
		DeleteByReceipt: op.Write(l, db, deleteByReceipt, public("DELETE /api/receipts/{receipt}",
			"Withdraw what was added without an account").Hint(op.Destructive).Limited(limit.Receipts)),

		PreviewLink: op.New(l, s.previewLink, read("GET /api/link-preview",
			"Preview a link", core.BadGateway).Hint(op.ReadOnly|op.OpenWorld).Limited(limit.LinkPreviews)),
		LogError: op.New(l, s.logError, public("POST /api/frontend-log",
			"Report an error of a page", core.TooLarge).Limited(limit.PageErrors, limit.AllPageErrors)),

		Members: op.Read(l, db, members, own("GET /api/lists/{id}/members", "List the members of a list")),
		PutMember: op.Write(l, db, s.putMember, write("PUT /api/lists/{id}/members/{user_id}",
			"Share a list, or change a member's role", core.Conflict).Hint(op.Idempotent)),
		DeleteMember: op.Write(l, db, deleteMember, write("DELETE /api/lists/{id}/members/{user_id}",
			"Remove a member, or leave a list").Hint(op.Destructive)),
	}
}
