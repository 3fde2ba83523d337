package mcp

import (
	"bytes"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/middleware"
)

const maxBody = limit.MaxBody

type message struct {
	Method  string // "" for a response of the client
	Name    string // of a tool
	Version string // of the protocol
}

// The options are the same as in the SDK.
var options = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// readMessage reads the body of r and replaces it with a copy.
func readMessage(w http.ResponseWriter, r *http.Request) (m message, err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return m, nil
	}
	b, err := middleware.ReadBody(w, r, maxBody)
	if err != nil {
		return m, err
	}
	switch {
	case core.Nested(b):
		return m, core.New(core.Invalid, "bad_json", "The body has arrays and objects nested too deep. Flatten it.")
	case len(b) > 0 && !jsontext.Value(b).IsValid(options):
		return m, core.New(core.Invalid, "bad_json", "The body is not valid JSON.")
	case jsontext.Value(b).Kind() == '[':
		// A batch would count as one request.
		return m, core.New(core.Invalid, "bad_json", "The body is an array of messages. Send one message at a time.")
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	if len(b) == 0 || r.Method != http.MethodPost {
		return m, nil // the SDK refuses or ignores it
	}
	return messageOf(b)
}

// messageOf reads the body exactly as the SDK does, because the limits depend on the method that will run.
func messageOf(body []byte) (m message, err error) {
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return m, core.New(core.Invalid, "bad_json", "The body is not a message of JSON-RPC 2.0.")
	}
	req, ok := decoded.(*jsonrpc.Request)
	if !ok {
		return m, nil
	}
	switch jsontext.Value(req.Params).Kind() {
	case '{', 'n', 0:
	default:
		return m, core.New(core.Invalid, "bad_json", "The params of the message are not an object. Send them by name.")
	}
	params := membersOf(req.Params)
	m.Method, m.Name = req.Method, textOf(params["name"])
	m.Version = textOf(membersOf(params["_meta"])["io.modelcontextprotocol/protocolVersion"])
	return m, nil
}

func membersOf(v []byte) (members map[string]jsontext.Value) {
	if json.Unmarshal(v, &members, options) != nil {
		return nil
	}
	return members
}

func textOf(v []byte) (text string) {
	if json.Unmarshal(v, &text, options) != nil {
		return ""
	}
	return text
}
