package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/browse"
	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/middleware"
)

// Who uses a server elsewhere is told what it says of a call that it refuses, and what to
// do if the key is no longer valid. The connection is used again afterwards.
func TestRemoteSaysWhatToDo(t *testing.T) {
	s := New(Config{Services: domain.Described(), Browse: browse.New(nil, nil, time.Now), BaseURL: "https://hearth.example"})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{Stateless: true})
	var refused error
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused != nil {
			middleware.FailJSON(w, refused)
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	remote, err := Connect(t.Context(), server.Client(), server.URL, "cl_key", "1")
	if err != nil {
		t.Fatal(err)
	}
	defer remote.Close()
	get := func() error {
		_, err := remote.pass(nil)(t.Context(), "prompts/get", &mcp.GetPromptRequest{Params: &mcp.GetPromptParams{Name: "curate_list"}})
		return err
	}
	busy := core.New(core.Unavailable, "busy", "The server is busy. Try again in a second.")
	for _, tc := range []struct {
		refused error
		want    string
	}{{core.ErrUnauthenticated, "Set another LISTS_API_KEY"}, {busy, busy.Msg}, {nil, "list_id is required: send the id of a list."}} {
		refused = tc.refused
		if err := get(); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "calling") {
			t.Errorf("%v: %v", tc.refused, err)
		}
	}
}
