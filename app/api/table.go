package api

import (
	"hearth/app/list"
	"hearth/app/live"
)

// Services are the rooms whose operations the table names.
type Services struct {
	List *list.Service
	Live *live.Hub

	meta *meta
}

// Routes is the table: every endpoint of the JSON door, a row each. From it
// come the router, the OpenAPI document, the reference page and the tests of
// who may call what.
func Routes(s Services) []Route {
	openAPI := Answer{Type: "application/json", Doc: "This interface as an OpenAPI 3.1 document."}
	docs := Answer{Type: "text/html", Doc: "This interface as a page to read."}
	watch := watch{list: s.List, hub: s.Live}
	return []Route{
		// The server
		{"GET", "/health", Public, 200, Op(s.meta.Health).Uncounted(), "Whether the server is up, and its version"},
		{"GET", "/api/openapi.json", Public, 200, Stream(s.meta.OpenAPI, openAPI), "The machine-readable description"},
		{"GET", "/api/docs", Public, 200, Stream(s.meta.Docs, docs), "The reference to read"},

		// Lists
		{"GET", "/api/lists", ListRead, 200, Op(s.List.Lists), "Lists, the newest change first: all public ones without a credential"},
		{"POST", "/api/lists", ListWrite, 201, Op(s.List.CreateList), "Make a list, with its first items or not at all"},
		{"GET", "/api/lists/{id}", ListRead, 200, Op(s.List.GetList), "One list"},
		{"PATCH", "/api/lists/{id}", ListWrite, 200, Op(s.List.UpdateList), "Change its title, description or visibility"},
		{"DELETE", "/api/lists/{id}", ListWrite, 204, Op(s.List.DeleteList), "Delete it with all its items"},
		{"GET", "/api/lists/{id}/items", ListRead, 200, Op(s.List.Items), "Its items by position"},
		{"POST", "/api/lists/{id}/items", ListAdd, 201, Op(s.List.AddItem), "Add an item at the end; without an account on open lists"},
		{"PATCH", "/api/lists/{id}/items/{item_id}", ListWrite, 200, Op(s.List.UpdateItem), "Change or move an item"},
		{"DELETE", "/api/lists/{id}/items/{item_id}", ListWrite, 204, Op(s.List.DeleteItem), "Take an item off"},
		{"GET", "/api/lists/{id}/members", ListOwnRead, 200, Op(s.List.Members), "Whom it is shared with; for its owner and them"},
		{"PUT", "/api/lists/{id}/members/{user_id}", ListWrite, 200, Op(s.List.PutMember), "Share it with somebody, or change their role"},
		{"DELETE", "/api/lists/{id}/members/{user_id}", ListWrite, 204, Op(s.List.DeleteMember), "Share it no longer with somebody, or leave it"},
		{"GET", "/api/list/{id}/events", ListRead, 200, Stream(watch.WatchList, watchAnswer), "Watch a list change, as server-sent events"},
		{"GET", "/api/lists/{id}/events", ListRead, 200, Stream(watch.WatchList, watchAnswer), "The same at the list's own address"},
		{"GET", "/api/list/{id}/presence", ListRead, 200, Op(watch.Presence), "Who watches a list"},
		{"POST", "/api/list/{id}/presence", ListWrite, 200, Op(watch.SetTyping), "Say that one is writing"},
	}
}
