package mcp

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/middleware"
)

// What the SDK answers with an internal error is in the log, under the id that the client
// is told, and not in the response.
func TestInternalErrorsOfTheSDK(t *testing.T) {
	var log bytes.Buffer
	stack, err := middleware.New(middleware.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	res := httptest.NewRecorder()
	stack.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(&streamWriter{ResponseWriter: w, rc: http.NewResponseController(w)}, "failed connection", http.StatusInternalServerError)
	}), nil).ServeHTTP(res, httptest.NewRequest("POST", "/mcp", nil))
	var got struct{ Error, Code, RequestID string }
	if err := json.Unmarshal(res.Body.Bytes(), &got, json.MatchCaseInsensitiveNames(true)); err != nil || res.Code != 500 || got.Code != "internal" || got.RequestID == "" || strings.Contains(got.Error, "failed") {
		t.Errorf("%d %s, %v", res.Code, res.Body, err)
	}
	if !strings.Contains(log.String(), got.RequestID) || !strings.Contains(log.String(), "failed connection") {
		t.Errorf("the log has %s", &log)
	}
}
