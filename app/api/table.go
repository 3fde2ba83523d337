package api

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/op"
	"hearth/app/people"
	"hearth/app/social"
)

// Described returns the endpoints without a database. Calling an operation panics.
func Described() []Route { return routes(domain.Described(), newMeta("")) }

// Events returns the event tables of all packages.
func Events() []core.Event {
	return slices.Concat(chat.Events(), account.Events(), list.Events(), people.Events(), lane.Events(), social.Events())
}

// routes returns all endpoints of the JSON transport: operations, streams and documents. The router, the OpenAPI
// document, the reference and the authorization tests are derived from it.
func routes(s domain.Services, m *meta) []Route {
	openAPI := Response{Type: "application/json", Doc: "The OpenAPI 3.1 document of this API.", Also: []int{http.StatusNotModified}}
	docs := Response{Type: "text/html", Doc: "The API reference as an HTML page.", Also: []int{http.StatusNotModified}}
	public := func(summary string) op.Spec { return op.Spec{Summary: summary, Guard: op.Public, Hints: op.ReadOnly} }
	discover := &discovery{s.List, s.Admin, m}
	watch := newWatch(s)
	return slices.Concat([]Route{
		{"GET", "/health", 200, m.Health.Op},
		{"GET", "/api/openapi.json", 200, Stream(m.OpenAPI, public("Get the OpenAPI document"), openAPI)},
		{"GET", "/api/docs", 200, Stream(discover.Docs, public("Read the API reference"), docs)},
	}, routesOf(s.Admin.Operations), routesOf(s.Account.Operations), []Route{
		{"GET", "/api/pictures/{id}", 200, pictureRoute(s.Account)},
		{"GET", "/api/auth/export", 200, exportRoute(s.Account)},
	}, routesOf(s.Chat.Operations), []Route{
		{"GET", "/api/chat/events", 200, watch.chat()},
		{"GET", "/api/chat/attachments/{id}", 200, attachmentRoute(s.Chat)},
	}, routesOf(s.Push.Operations), routesOf(s.People.Operations), routesOf(s.Social.Operations), routesOf(s.Lane.Operations), []Route{
		{"GET", "/api/chat/conversations/{id}/context/events", 200, watch.lane()},
		{"GET", "/api/chat/context-agent/requests", 200, s.Lane.ListInbox.Op},
	}, routesOf(s.List.Operations), []Route{
		{"GET", "/api/lists/{id}/export", 200, listExportRoute(s.List)},
		{"GET", "/api/list/{id}/events", 200, watch.items("Watch a list")},
		{"GET", "/api/lists/{id}/events", 200, watch.items("Watch a list (same as /api/list/{id}/events)")},
		{"GET", "/api/list/{id}/presence", 200, watch.Presence.Op},
		{"POST", "/api/list/{id}/presence", 200, watch.SetTyping.Op},
		{"GET", "/api/admin/reports/{id}/files/{number}", 200, reportFileRoute(s.Admin)},
	}, discover.routes())
}

// routesOf returns the routes of a struct of operations, in the order of its fields.
func routesOf(operations any) (all []Route) {
	for field, v := range reflect.ValueOf(operations).Fields() {
		if v.IsNil() {
			panic("api: " + field.Name + " has no operation: set its field in operations.go")
		}
		o := v.Elem().FieldByName("Op").Interface().(*op.Operation)
		if parts := strings.Fields(o.Info().Route); len(parts) > 0 {
			all = append(all, Route{parts[0], parts[1], statusOf(o.Info().Out, parts[2:]), o})
		}
	}
	return all
}

func statusOf(out reflect.Type, given []string) int {
	switch {
	case len(given) > 0:
		status, _ := strconv.Atoi(given[0]) // the handler refuses 0
		return status
	case out == reflect.TypeFor[core.None]():
		return http.StatusNoContent
	}
	return http.StatusOK
}
