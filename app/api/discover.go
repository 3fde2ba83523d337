package api

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// Tool names a tool of the MCP transport, for the guide for agents.
type Tool struct{ Name, Doc string }

// Site describes the server in the documents for agents and crawlers.
type Site struct {
	BaseURL   string
	PublicKey string // the published agent key
	MCP       string // path of the endpoint of tools
	Tools     []Tool
	Revisions []string // of the Model Context Protocol
}

//go:embed agents.md llms.txt
var guides embed.FS

var guide = template.Must(template.ParseFS(guides, "agents.md", "llms.txt"))

const (
	shownLists = 20
	docsPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	repoName   = "hearth"
	serverDoc  = "Public and private lists of a community: search, read, add and edit."
)

// discovery serves the documents for agents and crawlers, made from live data per request.
type discovery struct {
	list  *list.Service
	admin *admin.Service
	meta  *meta
}

func (d *discovery) name(ctx context.Context) (string, error) {
	c, err := d.admin.GetCommunity.Call(ctx, store.Viewer{}, core.None{})
	return plainText(c.Name, 100), err
}

func (d *discovery) routes() []Route {
	type source = func(ctx context.Context, v store.Viewer) ([]byte, error)
	get := func(opName, path, kind, summary, about string, f source, errors ...core.Kind) Route {
		doc := Response{Type: kind, Doc: about, Also: []int{http.StatusNotModified}}
		full := kind
		if strings.HasPrefix(kind, "text/") {
			full += "; charset=utf-8"
		}
		serve := func(w http.ResponseWriter, r *http.Request, v store.Viewer) {
			body, err := f(r.Context(), v)
			if err != nil {
				middleware.FailJSON(w, err)
				return
			}
			// Documents may be cached for five minutes and read by pages of other sites.
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Add("Vary", "Accept")
			newDocument(full, body).serve(w, r)
		}
		spec := op.Spec{Summary: summary, Guard: op.Public, Hints: op.ReadOnly, Errors: errors}
		return Route{"GET", path, 200, newStream(serve, opName, spec, doc)}
	}
	indented := func(f func(name string) any) source {
		return func(ctx context.Context, _ store.Viewer) ([]byte, error) {
			name, err := d.name(ctx)
			if err != nil {
				return nil, err
			}
			body, err := json.Marshal(f(name), json.Deterministic(true), jsontext.WithIndent("  "))
			return append(body, '\n'), err
		}
	}
	const live = "Made from live data."
	return []Route{
		get("Agents", "/AGENTS.md", "text/markdown", "Read the guide for agents", live, d.guide("agents.md")),
		get("LLMs", "/llms.txt", "text/plain", "Read the summary for language models", live, d.guide("llms.txt")),
		get("Robots", "/robots.txt", "text/plain", "Read the rules for crawlers", live, d.robots),
		get("Manifest", "/.well-known/lists.json", "application/json", "Get the manifest of the list service", live, indented(d.manifest)),
		get("Catalog", "/.well-known/ai-catalog.json", "application/ai-catalog+json", "Get the catalog of what agents can use", live,
			indented(d.catalog)),
		get("Security", "/.well-known/security.txt", "text/plain", "Read where to report security problems",
			"As in RFC 9116. 404 where the administrators have set no contact.", d.security, core.NotFound),
		get("ServerCard", "/mcp/server-card", "application/mcp-server-card+json", "Get the card of the MCP server", live,
			indented(d.serverCard)),
	}
}

// AgentLinks is the header Link of pages. It leads an agent from any page to the guide and the manifest.
const AgentLinks = `</AGENTS.md>; rel="service-doc"; type="text/markdown", </llms.txt>; rel="alternate"; type="text/plain", ` +
	`</.well-known/lists.json>; rel="service-meta"; type="application/json", </api/openapi.json>; rel="service-desc"; type="application/json"`

// AsksForMarkdown reports whether a client prefers Markdown to HTML.
func AsksForMarkdown(r *http.Request) bool {
	const markdown = "text/markdown"
	return middleware.Accepted(r, "text/html", markdown) == markdown
}

type guideData struct {
	Name, Base, PublicKey string
	Lists                 []list.List
	Example, Open         *list.List
	Tools                 []Tool
	Routes                []guideRoute
}

type guideRoute struct{ Method, Path, Summary, Guard string }

func (d *discovery) data(ctx context.Context) (g guideData, err error) {
	page, err := d.list.Lists.Call(ctx, store.Viewer{}, list.ListsIn{Public: true, Limit: 100})
	name, e := d.name(ctx)
	if err = cmp.Or(err, e); err != nil {
		return g, err
	}
	lists := page.Lists
	g = guideData{Name: name, Base: d.meta.site.BaseURL, PublicKey: d.meta.site.PublicKey, Tools: d.meta.site.Tools}
	for i := range lists {
		l := &lists[i]
		l.Title, l.Description = plainText(l.Title, 100), plainText(l.Description, 160)
		if g.Example == nil {
			g.Example = l
		}
		if g.Open == nil && l.Visibility == list.PublicEdit {
			g.Open = l
		}
	}
	g.Lists = lists[:min(len(lists), shownLists)]
	for _, r := range d.meta.routes {
		if strings.HasPrefix(r.Path, "/api/list") || strings.HasPrefix(r.Path, "/api/search") || strings.HasPrefix(r.Path, "/api/receipts") ||
			r.Path == "/api/register-agent" {
			g.Routes = append(g.Routes, guideRoute{r.Method, r.Path, r.Op.Info().Summary, r.Op.Info().Guard.String()})
		}
	}
	return g, nil
}

func plainText(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]()<>`*_#|\\!", r) {
			return -1
		}
		return r
	}, s)
	return core.FirstRunes(strings.Join(strings.Fields(s), " "), n)
}

func (d *discovery) guide(file string) func(context.Context, store.Viewer) ([]byte, error) {
	return func(ctx context.Context, _ store.Viewer) ([]byte, error) {
		data, err := d.data(ctx)
		var b bytes.Buffer
		if err == nil {
			err = guide.ExecuteTemplate(&b, file, data)
		}
		return b.Bytes(), err
	}
}

func (d *discovery) Docs(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	c, err := d.admin.GetCommunity.Call(r.Context(), v, core.None{})
	var page document
	if err == nil {
		look := docsLook{Name: c.Name, Picture: core.OrZero(c.PictureURL)}
		if c.Accent != nil {
			look.Theme = "/theme/" + strings.TrimPrefix(*c.Accent, "#") + ".css"
		}
		page, err = d.meta.docs().in(look)
	}
	if err != nil {
		middleware.FailJSON(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	page.serve(w, r)
}

func crawlers() []string {
	return []string{
		"GPTBot", "OAI-SearchBot", "ChatGPT-User", "ClaudeBot", "Claude-User", "Claude-SearchBot", "anthropic-ai", "Google-Extended", "Googlebot",
		"Bingbot", "PerplexityBot", "Perplexity-User", "Applebot", "Applebot-Extended", "Amazonbot", "Meta-ExternalAgent", "Meta-ExternalFetcher",
		"DuckAssistBot", "DuckDuckBot", "MistralAI-User", "CCBot", "Bytespider", "YandexBot", "cohere-ai",
	}
}

func closedPaths() []string {
	return []string{"/api/auth/", "/api/chat/", "/admin", "/chat", "/settings", "/login", "/claim"}
}

func (d *discovery) robots(context.Context, store.Viewer) ([]byte, error) {
	var b bytes.Buffer
	for _, name := range append(crawlers(), "*") {
		b.WriteString("User-agent: " + name + "\n")
	}
	b.WriteString("Allow: /\n")
	for _, path := range closedPaths() {
		b.WriteString("Disallow: " + path + "\n")
	}
	base := d.meta.site.BaseURL
	b.WriteString("\nSitemap: " + base + "/sitemap.xml\n\n# Agents: " + base + "/AGENTS.md and " + base + "/llms.txt\n")
	return b.Bytes(), nil
}

func (d *discovery) security(ctx context.Context, v store.Viewer) ([]byte, error) {
	c, err := d.admin.GetSecurityContact.Call(ctx, v, core.None{})
	text := "Contact: " + c.URL + "\nExpires: " + c.Expires.Format(time.RFC3339) + "\nCanonical: " + d.meta.site.BaseURL +
		"/.well-known/security.txt\n"
	return []byte(text), err
}

func (d *discovery) manifest(name string) any {
	s := d.meta.site
	type auth struct {
		Type   string `json:"type"`
		Prefix string `json:"prefix,omitzero"`
		Key    string `json:"key,omitzero"`
		From   string `json:"from,omitzero"`
		Allows string `json:"allows"`
	}
	return map[string]any{
		"name": name + " lists", "description": serverDoc, "version": d.meta.version, "repo": repoName, "url": s.BaseURL,
		"api": map[string]any{"base": s.BaseURL + "/api", "openapi": s.BaseURL + "/api/openapi.json", "docs": s.BaseURL + "/api/docs"},
		"mcp": map[string]any{"url": s.BaseURL + s.MCP, "transport": "streamable-http", "revisions": s.Revisions, "stdio": "hearth mcp --url " +
			s.BaseURL, "card": s.BaseURL + "/mcp/server-card"},
		"auth": []auth{
			{Type: "none", Allows: "read public lists"},
			{Type: "public_agent_key", Key: s.PublicKey,
				Allows: "read public lists; add items, with a reporter, to lists with the visibility public-edit"},
			{Type: "personal_key", Prefix: "cl_", From: s.BaseURL + "/api/register-agent",
				Allows: "read as its owner over the API; read and write as its owner over MCP"},
			{Type: "agent_key", Prefix: "oc_", From: s.BaseURL + "/settings/api-keys", Allows: "read and write as its owner within its scopes"},
			{Type: "session", From: s.BaseURL + "/login", Allows: "everything of its account"},
		},
		"guides": map[string]any{"agents": s.BaseURL + "/AGENTS.md", "llms": s.BaseURL + "/llms.txt", "sitemap": s.BaseURL + "/sitemap.xml"},
	}
}

func (d *discovery) cardHost() string {
	u, err := url.Parse(d.meta.site.BaseURL)
	if err != nil || u.Hostname() == "" {
		return "localhost"
	}
	return strings.ToLower(u.Hostname())
}

// reversed returns org.example for example.org. An IP address stays as it is, without colons.
func reversed(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return strings.ReplaceAll(host, ":", "-")
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

func (d *discovery) catalog(name string) any {
	return map[string]any{
		"specVersion": "1.0",
		"entries": []map[string]any{{
			"identifier": "urn:air:" + strings.ReplaceAll(d.cardHost(), ":", "-") + ":lists", "displayName": name + " lists",
			"description": serverDoc,
			"type":        "application/mcp-server-card+json", "url": d.meta.site.BaseURL + "/mcp/server-card",
		}},
	}
}

func (d *discovery) serverCard(name string) any {
	s := d.meta.site
	return map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name":    reversed(d.cardHost()) + "/lists", "title": name + " lists", "description": serverDoc, "version": d.meta.version,
		"websiteUrl": s.BaseURL,
		"remotes": []map[string]any{{
			"type": "streamable-http", "url": s.BaseURL + s.MCP, "supportedProtocolVersions": s.Revisions,
			"headers": []map[string]any{{
				"name": "Authorization", "description": "Bearer and a key (cl_… or oc_…); without it, public lists can be read.",
				"isRequired": false, "isSecret": true,
			}},
		}},
	}
}
