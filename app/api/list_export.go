package api

import (
	"io"
	"net/http"
	"reflect"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// listExport has the endpoint that sends a whole list.
type listExport struct {
	list *list.Service
	in   input
}

func listExportRoute(s *list.Service) Endpoint {
	in, err := newInput(reflect.TypeFor[list.ExportIn](), []string{"id"})
	if err != nil {
		panic("api: " + err.Error())
	}
	x := listExport{s, in}
	return Stream(x.ExportList, op.Spec{Summary: "Export a list", Guard: op.ListRead, Hints: op.ReadOnly},
		Response{Type: "application/json", Types: []string{"text/markdown", "text/csv"}, In: list.ExportIn{}, Out: list.Portable{}, Doc: "The list with all items, as a file: this JSON, Markdown or CSV."})
}

// listTypes are the media types of the formats of exported lists.
var listTypes = map[string]string{"json": "application/json", "md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8; header=present"}

// ExportList sends a list with all its items.
func (x listExport) ExportList(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	var in list.ExportIn
	err := x.in.fill(w, r, &in)
	if err == nil {
		err = core.Check(&in)
	}
	if err == nil {
		err = middleware.EnterExport(w)
	}
	if err != nil {
		Fail(w, err)
		return
	}
	sendExport(w, listTypes[in.Format], func(begin func(string) io.Writer) error {
		return x.list.Export(r.Context(), v, in, begin)
	})
}

// whole is an operation that takes the whole body of a request as it is.
type whole struct {
	op.Operation
	max int64
}

// Whole returns o, whose input is an op.BodyReceiver, as an endpoint that takes a
// body of up to max bytes of any type.
func Whole(o op.Operation, max int64) Endpoint { return whole{o, max} }

const anyType = "application/octet-stream"

// receiveWhole reads the body into the input.
func (e *endpoint) receiveWhole(w http.ResponseWriter, r *http.Request, in any) error {
	o, ok := e.Op.(whole)
	if !ok {
		return nil
	}
	b, err := middleware.ReadBody(w, r, o.max)
	if err != nil {
		return err
	}
	in.(op.BodyReceiver).SetBody(b)
	return nil
}
