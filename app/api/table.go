package api

// Services are the rooms whose operations the table names.
type Services struct {
	meta *meta
}

// Routes is the table: every endpoint of the JSON door, a row each. From it
// come the router, the OpenAPI document, the reference page and the tests of
// who may call what.
func Routes(s Services) []Route {
	openAPI := Answer{Type: "application/json", Doc: "This interface as an OpenAPI 3.1 document."}
	docs := Answer{Type: "text/html", Doc: "This interface as a page to read."}
	return []Route{
		// The server
		{"GET", "/health", Public, 200, Op(s.meta.Health).Uncounted(), "Whether the server is up, and its version"},
		{"GET", "/api/openapi.json", Public, 200, Stream(s.meta.OpenAPI, openAPI), "The machine-readable description"},
		{"GET", "/api/docs", Public, 200, Stream(s.meta.Docs, docs), "The reference to read"},
	}
}
