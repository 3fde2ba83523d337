package api

import (
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
	return json.Marshal(describe(routes, baseURL), json.Deterministic(true), jsontext.WithIndent("  "))
}

func describe(routes []Route, baseURL string) *specDoc {
	s := schemasOf(routes)
	d := &specDoc{
		OpenAPI: "3.1.0",
		Info: specInfo{"Hearth", interfaceVersion,
			"Chat and lists for one community of people and their agents. A member or parameter with an enum takes one of its values or is left " +
				"out: the empty text is refused."},
		Paths: map[string]map[string]*specOp{}, Webhooks: s.webhooks(routes),
	}
	if baseURL != "" {
		d.Servers = []specServer{{baseURL}}
	}
	names := map[string]int{}
	for _, r := range routes {
		o := s.operation(r)
		if names[o.OperationID]++; names[o.OperationID] > 1 {
			o.OperationID += strconv.Itoa(names[o.OperationID])
		}
		if d.Paths[r.Path] == nil {
			d.Paths[r.Path] = map[string]*specOp{}
		}
		d.Paths[r.Path][strings.ToLower(r.Method)] = o
		if !slices.Contains(d.Tags, specTag{o.Tags[0]}) {
			d.Tags = append(d.Tags, specTag{o.Tags[0]})
		}
	}
	cookie := "hearth"
	if strings.HasPrefix(baseURL, "https:") {
		cookie = "__Host-hearth"
	}
	d.Components = s.specComponents(d.Paths, cookie)
	return d
}

func (d *specDoc) of(r Route) *specOp { return d.Paths[r.Path][strings.ToLower(r.Method)] }

type schemas struct{ *op.Schemas }

func schemasOf(routes []Route) *schemas {
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
	return &schemas{op.NewSchemas(ins, outs)}
}

func (s *schemas) operation(r Route) *specOp {
	info := r.Op.Info()
	o := &specOp{
		OperationID: lowerFirst(info.Name), Tags: []string{tag(r.Path)}, Summary: info.Summary + ".",
		Description: "Who may call: " + info.Guard.Who(), Security: security(info.Guard), Responses: s.responses(r),
		Parameters: s.parameters(info.Plan),
	}
	plan := info.Plan
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
		content := map[string]specMedia{"application/json": {s.Value(info.In, core.Rule{})}}
		o.RequestBody = &specBody{Required: requiresBody(plan), Content: content}
	}
	return o
}

func bodySchema(kind string) *jsonschema.Schema {
	if kind != multipartForm {
		return &jsonschema.Schema{Description: "The list in the format that the query names."}
	}
	return &jsonschema.Schema{Type: "object", Required: []string{"file"}, PropertyOrder: []string{"file"},
		Properties: map[string]*jsonschema.Schema{
			"file": {Type: "string", Format: "binary", Description: "The file, with its name. It has at most 20 MB, and a sound or a video 10 MB."},
		}}
}

func (s *schemas) parameters(plan *core.Plan) (params []specParam) {
	if plan == nil {
		return nil
	}
	for _, f := range plan.Fields {
		if f.Place == core.InBody {
			continue
		}
		p := specParam{Name: f.Name, In: f.Place.String(), Required: f.Required, Description: f.Doc}
		if f.Place == core.InPath {
			p.Required, p.Schema = true, &jsonschema.Schema{Type: "string"}
			if isID(f.Name) {
				p.Schema.Format = "uuid"
			}
		} else {
			rule := f.Rule
			rule.Doc = ""
			p.Schema = s.Value(f.Type, rule)
		}
		params = append(params, p)
	}
	return params
}

func (s *schemas) responses(r Route) map[string]specResponse {
	all := map[string]specResponse{}
	for _, status := range r.statuses() {
		all[strconv.Itoa(status)] = s.success(r, status)
	}
	if r.Op.Info().Hints.Has(op.Tagged) {
		all[strconv.Itoa(http.StatusNotModified)] = specResponse{Description: "The response is the one whose ETag is in If-None-Match."}
	}
	failures := r.errorStatuses()
	if st := r.stream(); st != nil {
		for _, status := range st.doc.Also {
			if status >= http.StatusBadRequest {
				failures = append(failures, status)
			} else {
				all[strconv.Itoa(status)] = specResponse{Description: http.StatusText(status)}
			}
		}
	}
	for _, status := range failures {
		all[strconv.Itoa(status)] = specResponse{Ref: "#/components/responses/" + responseName(status)}
	}
	return all
}

func (s *schemas) success(r Route, status int) specResponse {
	res := specResponse{Description: http.StatusText(status)}
	switch {
	case r.stream() != nil:
		doc := r.stream().doc
		schema := &jsonschema.Schema{Description: doc.Doc}
		if out := r.Op.Info().Out; out != nil {
			schema = s.Value(out, core.Rule{})
		}
		res.Description = doc.Doc
		res.Content = map[string]specMedia{doc.Type: {schema}}
		for _, kind := range doc.Types {
			res.Content[kind] = specMedia{&jsonschema.Schema{Type: "string"}}
		}
	case status != http.StatusNoContent:
		res.Content = map[string]specMedia{"application/json": {s.Value(r.bodyOf(status), core.Rule{})}}
		if core.IsPage(r.Op.Info().Out) {
			res.Headers = map[string]specHeader{"Link": {"Where the next page is, as <…>; rel=\"next\"; absent on the last.",
				&jsonschema.Schema{Type: "string"}}}
		}
	}
	return res
}

func (r Route) errorStatuses() (all []int) {
	info := r.Op.Info()
	params := pathParams(r.Path)
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
	add(info.Hints.Has(op.Stores), core.StorageFull)
	add(true, info.Errors...)
	add(!r.alwaysAnswered(), core.TooMany) // at least beyond the rate limit
	add(body, core.TooLarge, core.Unsupported)
	add(true, core.Internal, core.Unavailable)
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *schemas) specComponents(paths map[string]map[string]*specOp, cookie string) specComponents {
	c := specComponents{
		Schemas: s.Components(), Responses: map[string]specResponse{},
		SecuritySchemes: map[string]specSecurity{
			"bearerAuth": {Type: "http", Scheme: "bearer",
				Description: "A user token, or a key: an agent key (oc_), a personal key (cl_) or the public agent key. With an agent key without " +
					"the scope read, responses have ids, times, words such as a status, what was sent and what the operation has made; all other " +
					"members are empty, and others look offline."},
			"sessionCookie": {Type: "apiKey", In: "cookie", Name: cookie, Description: "The session cookie of a browser that signed in at /login."},
			"bridgeSecret":  {Type: "http", Scheme: "bearer", Description: "The secret shared with the one trusted peer service."},
		},
	}
	content := map[string]specMedia{"application/json": {&jsonschema.Schema{Ref: op.SchemaPrefix + "Error"}}}
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
	return c
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

func hasBody(p *core.Plan) bool { return p != nil && p.Has(core.InBody) }

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
