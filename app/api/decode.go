package api

import (
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/middleware"
)

const maxBody = 256 << 10 // bytes

type input struct {
	plan  *core.Plan
	body  bool
	query bool
}

func newInput(plan *core.Plan) input {
	return input{plan: plan, body: plan.Has(core.InBody), query: plan.Has(core.InQuery)}
}

func (in input) fill(w http.ResponseWriter, r *http.Request, v any) error {
	if in.body {
		b, err := readBody(w, r)
		if err != nil {
			return err
		}
		// A missing body is an empty object, so that the error names the missing member.
		if b != nil {
			if err := in.plan.DecodeInput(b, v); err != nil {
				return err
			}
		}
	}
	var query url.Values
	if in.query { // unknown parameters are ignored for an endpoint without parameters
		var err error
		if query, err = parseQuery(r.URL.RawQuery); err != nil {
			return err
		}
	}
	s := reflect.ValueOf(v).Elem()
	for _, f := range in.plan.Fields {
		field := s.FieldByIndex(f.Index)
		switch f.Place {
		case core.InPath:
			if f.Parse(field, r.PathValue(f.Name)) != nil {
				return core.ErrNotFound
			}
		case core.InHeader:
			if err := fillQuery(f, field, r.Header.Values(f.Name)); err != nil {
				return err
			}
		case core.InQuery:
			if err := fillQuery(f, field, query[f.Name]); err != nil {
				return err
			}
		}
	}
	return nil
}

func fillQuery(f *core.Field, field reflect.Value, values []string) error {
	switch {
	case len(values) > 1:
		return core.InvalidField(f.Name, "%s is given %d times. Send it once.", f.Name, len(values))
	case len(values) == 0 || strings.TrimSpace(values[0]) == "" && !f.Numeric():
		if f.Required {
			return core.InvalidField(f.Name, "%s is required: add ?%s= with %s.", f.Name, f.Name, f.Expects())
		}
		if len(values) > 0 && len(f.Enum) > 0 {
			return f.NoChoice(f.Name)
		}
		return nil
	}
	return f.Fill(field, values[0])
}

func parseQuery(raw string) (url.Values, error) {
	if raw == "" {
		return nil, nil
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return nil, core.New(core.Invalid, "bad_query", "The query string is not valid. Percent-encode each value and join them with &.")
	}
	for name, values := range q {
		for _, v := range append(values, name) {
			if !utf8.ValidString(v) {
				return nil, core.New(core.Invalid, "bad_query", "The query string must be percent-encoded UTF-8.")
			}
		}
	}
	return q, nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength == 0 {
		return nil, nil
	}
	b, err := middleware.ReadBody(w, r, maxBody)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, nil
	}
	return b, contentType(r.Header)
}

// contentType also protects against cross-site requests: another site's page cannot make a browser send this type.
func contentType(h http.Header) error {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset, named := params["charset"]
	switch {
	case err != nil || kind != "application/json" || len(h.Values("Content-Type")) > 1:
		return core.New(core.Unsupported, "unsupported_type", "Send the body as JSON, with the header Content-Type: application/json.")
	case named && !strings.EqualFold(charset, "utf-8"):
		return core.New(core.Unsupported, "unsupported_type", "Send the body in UTF-8; JSON has no other encoding.")
	case h.Get("Content-Encoding") != "" && h.Get("Content-Encoding") != "identity":
		return core.New(core.Unsupported, "unsupported_type", "Send the body uncompressed, without Content-Encoding.")
	}
	return nil
}
