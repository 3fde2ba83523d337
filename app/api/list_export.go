package api

import (
	"io"
	"net/http"

	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

type listExport struct{ list *list.Service }

func listExportRoute(s *list.Service) Endpoint {
	return Decoded(listExport{s}.ExportList, op.Spec{Summary: "Export a list", Guard: op.ListRead, Hints: op.ReadOnly},
		Response{Type: "application/json", Types: []string{"text/markdown", "text/csv"}, Out: list.Portable{},
			Doc: "The list with all items, as a file: this JSON, Markdown or CSV."})
}

var listTypes = map[string]string{"json": "application/json", "md": "text/markdown; charset=utf-8",
	"csv": "text/csv; charset=utf-8; header=present"}

func (x listExport) ExportList(w http.ResponseWriter, r *http.Request, v store.Viewer, in list.ExportIn) {
	sendExport(w, listTypes[in.Format], func(begin func(string) io.Writer) error {
		return x.list.Export(r.Context(), v, in, begin)
	})
}

type whole struct {
	op.Operation
	max int64
}

// Whole returns o as an endpoint that takes a body of any type, up to max bytes. The input of o is an
// op.BodyReceiver.
func Whole(o op.Operation, max int64) Endpoint { return whole{o, max} }

const anyType = "application/octet-stream"

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
