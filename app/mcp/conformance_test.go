//lint:file-ignore SA1019 the suite covers a revision in which sampling, roots and logging are not deprecated

package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/browse"
	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/list"
	"hearth/app/mcp"
	"hearth/app/middleware"
	"hearth/store"
	"hearth/store/storetest"
)

// nobody is an authenticator that knows no key.
type nobody struct{}

func (nobody) Caller(*http.Request) (store.Viewer, error) { return store.Viewer{}, nil }

func (nobody) TokenCaller(context.Context, string) (store.Viewer, error) {
	return store.Viewer{}, core.ErrUnauthenticated
}

func (nobody) Used(store.Viewer, string, bool) {}

// The official suite, which .ci/mcp installs, finds no failed check for the revisions that the server speaks.
func TestConformance(t *testing.T) {
	suite := os.Getenv("HEARTH_CONFORMANCE")
	if suite == "" {
		t.Skip("HEARTH_CONFORMANCE does not name the directory of the suite")
	}
	server := httptest.NewUnstartedServer(nil)
	stack, err := middleware.New(middleware.Config{BaseURLs: []string{"http://" + server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	services := domain.Described()
	services.List = list.New(list.Config{DB: storetest.Open(t).DB, CursorKey: make([]byte, 32)})
	cfg := mcp.Config{Services: services, Browse: browse.New(nil, nil, time.Now), Auth: nobody{}, Stack: stack,
		Hold: func(context.Context, store.Viewer) (<-chan struct{}, func(), error) { return nil, func() {}, nil }}
	s := mcp.New(cfg.With(func(o *sdk.ServerOptions) {
		o.Capabilities.Logging = &sdk.LoggingCapabilities{}
		o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
	}))
	defer s.Close()
	defer addFixtures(s.SDK())()
	server.Config.Handler = s
	server.Start()
	defer server.Close()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		cmd := exec.Command("node", filepath.Join(suite, "node_modules/@modelcontextprotocol/conformance/dist/index.js"), "server",
			"--url", server.URL+mcp.Path, "--requirements", revision, "-o", t.TempDir())
		out, err := cmd.CombinedOutput()
		_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
		if t.Logf("%s: %s", revision, summary); err != nil {
			t.Error(errors.Join(err, cmd.Err))
		}
	}
}
