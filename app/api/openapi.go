package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
)

// interfaceVersion is the version of the published chat API, not of the program.
const interfaceVersion = "0.2.3"

type (
	specDoc struct {
		OpenAPI    string                        `json:"openapi"`
		Info       specInfo                      `json:"info"`
		Servers    []specServer                  `json:"servers,omitempty"`
		Tags       []specTag                     `json:"tags"`
		Paths      map[string]map[string]*specOp `json:"paths"`
		Webhooks   map[string]map[string]*specOp `json:"webhooks,omitempty"`
		Components specComponents                `json:"components"`
	}
	specInfo struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	specServer struct {
		URL string `json:"url"`
	}
	specTag struct {
		Name string `json:"name"`
	}
	specComponents struct {
		Schemas         map[string]*jsonschema.Schema `json:"schemas"`
		Responses       map[string]specResponse       `json:"responses"`
		SecuritySchemes map[string]specSecurity       `json:"securitySchemes"`
	}
	specSecurity struct {
		Type        string `json:"type"`
		Scheme      string `json:"scheme,omitempty"`
		In          string `json:"in,omitempty"`
		Name        string `json:"name,omitempty"`
		Description string `json:"description"`
	}
	specOp struct {
		OperationID string                  `json:"operationId"`
		Tags        []string                `json:"tags"`
		Summary     string                  `json:"summary"`
		Description string                  `json:"description"`
		Security    []map[string][]string   `json:"security"`
		Parameters  []specParam             `json:"parameters,omitempty"`
		RequestBody *specBody               `json:"requestBody,omitempty"`
		Responses   map[string]specResponse `json:"responses"`
	}
	specParam struct {
		Name        string             `json:"name"`
		In          string             `json:"in"`
		Required    bool               `json:"required,omitzero"`
		Description string             `json:"description,omitempty"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	specBody struct {
		Required bool                 `json:"required,omitzero"`
		Content  map[string]specMedia `json:"content"`
	}
	specResponse struct {
		Ref         string                `json:"$ref,omitempty"`
		Description string                `json:"description,omitempty"`
		Headers     map[string]specHeader `json:"headers,omitempty"`
		Content     map[string]specMedia  `json:"content,omitempty"`
	}
	specHeader struct {
		Description string             `json:"description"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	specMedia struct {
		Schema *jsonschema.Schema `json:"schema"`
	}
)

// OpenAPI returns the OpenAPI 3.1 document for routes, indented. The result is deterministic.
func OpenAPI(routes []Route, baseURL string) ([]byte, error) {
	s, err := schemasOf(routes)
	if err != nil {
		return nil, err
	}
	d := specDoc{
		OpenAPI: "3.1.0",
		Info: specInfo{"Hearth", interfaceVersion,
			"Chat and lists for one community of people and their agents. A member or parameter with an enum takes one of its values or is left " +
				"out: the empty text is refused."},
		Paths: map[string]map[string]*specOp{},
	}
	if baseURL != "" {
		d.Servers = []specServer{{baseURL}}
	}
	names := map[string]int{}
	for _, r := range routes {
		o, err := s.operation(r)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
		}
		if names[o.OperationID]++; names[o.OperationID] > 1 {
			o.OperationID += strconv.Itoa(names[o.OperationID])
		}
		path := strings.ReplaceAll(r.Path, "...}", "}")
		if d.Paths[path] == nil {
			d.Paths[path] = map[string]*specOp{}
		}
		d.Paths[path][strings.ToLower(r.Method)] = o
		if !slices.Contains(d.Tags, specTag{o.Tags[0]}) {
			d.Tags = append(d.Tags, specTag{o.Tags[0]})
		}
	}
	if d.Webhooks, err = s.webhooks(routes); err != nil {
		return nil, err
	}
	cookie := "hearth"
	if strings.HasPrefix(baseURL, "https:") {
		cookie = "__Host-hearth"
	}
	if d.Components, err = s.specComponents(d.Paths, cookie); err != nil {
		return nil, err
	}
	return json.Marshal(d, json.Deterministic(true), jsontext.WithIndent("  "))
}

type schemas struct{ *op.Schemas }

func schemasOf(routes []Route) (*schemas, error) {
	ins, outs := []reflect.Type{}, append([]reflect.Type{reflect.TypeFor[middleware.ErrorBody]()}, webhookBodies(routes)...)
	for _, r := range routes {
		if t := r.Op.Info().In; t != nil {
			ins = append(ins, t)
		}
		for _, status := range r.statuses() {
			if t := r.bodyOf(status); t != nil {
				outs = append(outs, t)
			}
		}
	}
	s, err := op.NewSchemas(ins, outs)
	return &schemas{s}, err
}

func (s *schemas) operation(r Route) (*specOp, error) {
	info := r.Op.Info()
	o := &specOp{
		OperationID: lowerFirst(info.Name), Tags: []string{tag(r.Path)}, Summary: info.Summary + ".",
		Description: "Who may call: " + info.Guard.Who(), Security: security(info.Guard), Responses: map[string]specResponse{},
	}
	_, params, _, err := translate(r.Path)
	if err != nil {
		return nil, err
	}
	plan := info.Plan
	if o.Parameters, err = s.parameters(plan, params); err != nil {
		return nil, err
	}
	if r.Method == http.MethodPost && r.operation() != nil {
		o.Parameters = append(o.Parameters, specParam{Name: repeatHeader, In: "header",
			Schema: &jsonschema.Schema{Type: "string", MinLength: new(1), MaxLength: new(255)},
			Description: "Chosen by the client, such as a random UUID. Sent again within 24 hours, the request is not carried out again and gets " +
				"the same answer, with the header " + replayedHeader + ". What other people wrote is in it as it is by then, or not at all."})
	}
	body := r.requestType()
	switch {
	case body != "":
		o.RequestBody = &specBody{Required: true, Content: map[string]specMedia{body: {bodySchema(body)}}}
	case r.operation() != nil && hasBody(plan):
		schema, err := s.Value(info.In, core.Rule{})
		if err != nil {
			return nil, err
		}
		o.RequestBody = &specBody{Required: requiresBody(plan), Content: map[string]specMedia{"application/json": {schema}}}
	}
	return o, s.responses(o, r)
}

func bodySchema(kind string) *jsonschema.Schema {
	if kind != multipartForm {
		return &jsonschema.Schema{Description: "The list in the format that the query names."}
	}
	return &jsonschema.Schema{Type: "object", Required: []string{"file"}, Properties: map[string]*jsonschema.Schema{
		"file": {Type: "string", Format: "binary", Description: "The file, with its name. It has at most 20 MB, and a sound or a video 10 MB."},
	}}
}

func (s *schemas) parameters(plan *core.Plan, path []string) (params []specParam, err error) {
	known := map[string]*core.Field{}
	if plan != nil {
		for _, f := range plan.Fields {
			known[f.Name] = f
		}
	}
	for _, name := range path {
		p := specParam{Name: name, In: "path", Required: true, Schema: &jsonschema.Schema{Type: "string"}}
		if isID(name) {
			p.Schema.Format = "uuid"
		}
		if f := known[name]; f != nil && f.Place == core.InPath {
			p.Description = f.Doc
		}
		params = append(params, p)
	}
	if plan == nil {
		return params, nil
	}
	for _, f := range plan.Fields {
		in := map[core.Place]string{core.InQuery: "query", core.InHeader: "header"}[f.Place]
		if in == "" {
			continue
		}
		rule := f.Rule
		rule.Doc = ""
		schema, err := s.Value(f.Type, rule)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		params = append(params, specParam{Name: f.Name, In: in, Required: f.Required, Description: f.Doc, Schema: schema})
	}
	return params, nil
}

func (s *schemas) responses(o *specOp, r Route) (err error) {
	for _, status := range r.statuses() {
		if o.Responses[strconv.Itoa(status)], err = s.success(r, status); err != nil {
			return err
		}
	}
	if r.Op.Info().Tagged {
		o.Responses[strconv.Itoa(http.StatusNotModified)] = specResponse{Description: "The response is the one whose ETag is in If-None-Match."}
	}
	if st := r.stream(); st != nil {
		for _, status := range st.doc.Also {
			res := specResponse{Description: http.StatusText(status)}
			if status >= http.StatusBadRequest {
				res = specResponse{Ref: "#/components/responses/" + responseName(status)}
			}
			o.Responses[strconv.Itoa(status)] = res
		}
	}
	for _, status := range r.errorStatuses() {
		o.Responses[strconv.Itoa(status)] = specResponse{Ref: "#/components/responses/" + responseName(status)}
	}
	return nil
}

func (s *schemas) success(r Route, status int) (specResponse, error) {
	res := specResponse{Description: http.StatusText(status)}
	switch {
	case r.stream() != nil:
		doc := r.stream().doc
		schema := &jsonschema.Schema{Description: doc.Doc}
		if out := r.Op.Info().Out; out != nil {
			var err error
			if schema, err = s.Value(out, core.Rule{}); err != nil {
				return res, err
			}
		}
		res.Description = doc.Doc
		res.Content = map[string]specMedia{doc.Type: {schema}}
		for _, kind := range doc.Types {
			res.Content[kind] = specMedia{&jsonschema.Schema{Type: "string"}}
		}
	case status != http.StatusNoContent:
		schema, err := s.Value(r.bodyOf(status), core.Rule{})
		if err != nil {
			return res, err
		}
		res.Content = map[string]specMedia{"application/json": {schema}}
		if core.IsPage(r.Op.Info().Out) {
			res.Headers = map[string]specHeader{"Link": {"Where the next page is, as <…>; rel=\"next\"; absent on the last.",
				&jsonschema.Schema{Type: "string"}}}
		}
	}
	return res, nil
}

func (r Route) errorStatuses() (all []int) {
	info := r.Op.Info()
	_, params, _, _ := translate(r.Path)
	body := r.operation() != nil && hasBody(info.Plan) || r.requestType() != ""
	repeatable := r.Method == http.MethodPost && r.operation() != nil // with an idempotency key
	add := func(when bool, kinds ...core.Kind) {
		for _, k := range kinds {
			if when {
				all = append(all, middleware.Status(k))
			}
		}
	}
	add(info.Plan != nil && len(info.Plan.Fields) > len(params) || body || repeatable, core.Invalid)
	add(info.Guard != op.Public, core.Unauthenticated)
	add(true, core.Forbidden) // at least for pages of other sites
	add(len(params) > 0, core.NotFound)
	add(repeatable, core.Conflict)
	add(info.Stores, core.StorageFull)
	add(true, info.Errors...)
	add(!r.alwaysAnswered(), core.TooMany) // at least beyond the rate limit
	add(body, core.TooLarge, core.Unsupported)
	add(true, core.Internal, core.Unavailable)
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *schemas) specComponents(paths map[string]map[string]*specOp, cookie string) (specComponents, error) {
	c := specComponents{
		Responses: map[string]specResponse{},
		SecuritySchemes: map[string]specSecurity{
			"bearerAuth": {Type: "http", Scheme: "bearer",
				Description: "A user token, or a key: an agent key (oc_), a personal key (cl_) or the public agent key. With an agent key without " +
					"the scope read, responses have ids, times, words such as a status, what was sent and what the operation has made; all other " +
					"members are empty, and others look offline."},
			"sessionCookie": {Type: "apiKey", In: "cookie", Name: cookie, Description: "The session cookie of a browser that signed in at /login."},
			"bridgeSecret":  {Type: "http", Scheme: "bearer", Description: "The secret shared with the one trusted peer service."},
		},
	}
	var err error
	if c.Schemas, err = s.Components(); err != nil {
		return c, err
	}
	content := map[string]specMedia{"application/json": {&jsonschema.Schema{Ref: "#/components/schemas/Error"}}}
	for _, ops := range paths {
		for _, o := range ops {
			for code, a := range o.Responses {
				if a.Ref == "" {
					continue
				}
				status, _ := strconv.Atoi(code)
				a = specResponse{Description: errorText(status), Content: content}
				if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
					a.Headers = map[string]specHeader{"Retry-After": {"Seconds to wait.", &jsonschema.Schema{Type: "integer"}}}
				}
				c.Responses[responseName(status)] = a
			}
		}
	}
	return c, nil
}

func security(g op.Guard) []map[string][]string {
	known := []map[string][]string{{"bearerAuth": {}}, {"sessionCookie": {}}}
	switch g {
	case op.Public:
		return []map[string][]string{}
	case op.ListRead:
		return append([]map[string][]string{{}}, known...)
	case op.Bridge:
		return []map[string][]string{{"bridgeSecret": {}}}
	}
	return known
}

func tag(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for len(segments) > 1 && (segments[0] == "api" || segments[0] == "chat") {
		segments = segments[1:]
	}
	switch segments[0] {
	case "health", "openapi.json", "docs":
		return "server"
	case "auth":
		return "account"
	case "list", "search", "receipts", "link-preview", "frontend-log":
		return "lists"
	case "register-agent":
		return "account"
	case "unread-total", "events", "invites":
		return "conversations"
	case "blocks", "users", "friends", "card", "reports":
		return "people"
	}
	return segments[0]
}

func hasBody(p *core.Plan) bool {
	return p != nil && slices.ContainsFunc(p.Fields, func(f *core.Field) bool { return f.Place == core.InBody })
}

func requiresBody(p *core.Plan) bool {
	return slices.ContainsFunc(p.Fields, func(f *core.Field) bool { return f.Place == core.InBody && f.Required })
}

func errorText(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "The request is not valid. The error names the member."
	case http.StatusUnauthorized:
		return "The credential is missing or not valid."
	case http.StatusForbidden:
		return "The credential does not permit this, or the request came from another site's page."
	case http.StatusNotFound:
		return "The object does not exist, or the caller may not see it."
	case http.StatusConflict:
		return "The current state does not permit this."
	case http.StatusPreconditionFailed:
		return "The object has changed since the version in If-Match. Nothing was changed."
	case http.StatusGone:
		return "The object has ended or expired."
	case http.StatusRequestEntityTooLarge:
		return "The body is larger than 256 KiB, or a file is larger than 20 MB."
	case http.StatusUnsupportedMediaType:
		return "The content type of the body is not supported."
	case http.StatusRequestedRangeNotSatisfiable:
		return "The file does not have the bytes that Range asks for."
	case http.StatusTooManyRequests:
		return "Too many requests, or too much data in a short time. An account can do each kind of write 100 times at once and then once a " +
			"second, unless the operation says otherwise. Try again after Retry-After."
	case http.StatusServiceUnavailable:
		return "The server is unavailable and nothing was changed. Try again after Retry-After."
	case http.StatusInternalServerError:
		return "Internal error. Report its requestId to the administrators."
	case http.StatusBadGateway:
		return "A request to another server failed."
	case http.StatusInsufficientStorage:
		return "The account or the server has no storage left. Nothing was stored."
	}
	return http.StatusText(status)
}

func responseName(status int) string {
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}

func lowerFirst(s string) string {
	r := []rune(s)
	for i := range r {
		// Acronyms stay together: openAPI, but id for ID.
		if i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) || !unicode.IsUpper(r[i]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}
