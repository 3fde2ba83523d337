package mcp

import (
	"bytes"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/app/middleware"
)

const (
	callTool = "tools/call"

	maxBody = 256 << 10 // bytes
	maxKept = 8 << 10   // of a message that a session or a stream keeps
	maxID   = 256       // of the id of a message, which a subscription keeps

	// maxDecoded is how many bytes of memory a message may take once it is decoded, and
	// maxArguments how many the arguments of a tool may, which are not part of that. A
	// message that is kept takes no more than what is free for each request.
	maxDecoded   = 32 << 10
	maxArguments = 2 << 20

	// objectCost, arrayCost and valueCost are how many bytes of memory an object with its
	// first members, an array, and each name and other value take beside their text.
	objectCost = 400
	arrayCost  = 200
	valueCost  = 48
)

// message is what is read of a request before it is handled.
type message struct {
	Method  string // "" for a response of the client
	Name    string // of a tool
	Version string // of the protocol
	Size    int    // bytes of memory that it takes until it is answered
}

// kept are the methods of messages that a session or a stream keeps as long as it lasts.
var kept = map[string]bool{
	"initialize": true, "notifications/initialized": true, "logging/setLevel": true, "resources/subscribe": true, listen: true,
}

// options are those with which the SDK reads JSON.
var options = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// readMessage reads the body of r, which it replaces by what was read, and takes the
// memory for it.
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
		// They would count as one request, whatever the revision.
		return m, core.New(core.Invalid, "bad_json", "The body is an array of messages. Send one message at a time.")
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	if len(b) == 0 || r.Method != http.MethodPost {
		return m, nil // the SDK refuses it, or does not look at it
	}
	if m, err = messageOf(b); err != nil {
		return m, err
	}
	return m, middleware.Reserve(w, m.Size)
}

// messageOf reads the body of a request as the SDK does: what bounds a request follows
// from the method that it runs. Before anything is decoded it is known what that takes.
func messageOf(body []byte) (m message, err error) {
	arguments, rest := measure(body)
	switch {
	case rest > maxDecoded:
		return m, errLarge()
	case arguments > maxArguments:
		return m, core.New(core.TooLarge, "too_large", "The arguments have too many members and elements. Send less at a time.")
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return m, core.New(core.Invalid, "bad_json", "The body is not a message of JSON-RPC 2.0.")
	}
	m.Size = messageCost*len(body) + arguments + rest
	req, ok := decoded.(*jsonrpc.Request)
	if ok {
		m.Method = req.Method
	}
	switch {
	case m.Method != callTool && arguments+rest > maxDecoded:
		return m, errLarge()
	case kept[m.Method] && len(body) > maxKept:
		return m, core.New(core.TooLarge, "too_large", "The body is larger than 8 KiB, which is the most for %s. Leave out what is not needed.", m.Method)
	case !ok:
		return m, nil
	}
	if id, _ := req.ID.Raw().(string); len(id) > maxID {
		return m, core.New(core.Invalid, "bad_json", "The id of the message is longer than %d bytes. Use a shorter one, or a number.", maxID)
	}
	if err := checkParams(req); err != nil {
		return m, err
	}
	params := membersOf(req.Params)
	m.Name = textOf(params["name"])
	m.Version = textOf(membersOf(params["_meta"])["io.modelcontextprotocol/protocolVersion"])
	return m, nil
}

// checkParams refuses params of another type than the method has, if they are long: the
// SDK's error repeats them as a whole. Only those of tools/call can be.
func checkParams(req *jsonrpc.Request) error {
	switch jsontext.Value(req.Params).Kind() {
	case '{', 'n', 0:
	default:
		return core.New(core.Invalid, "bad_json", "The params of the message are not an object. Send them by name.")
	}
	var call struct {
		Meta           mcp.Meta             `json:"_meta"`
		Name           string               `json:"name"`
		InputResponses mcp.InputResponseMap `json:"inputResponses"`
		RequestState   string               `json:"requestState"`
	}
	if req.Method == callTool && len(req.Params) > maxDecoded && json.Unmarshal(req.Params, &call, options) != nil {
		return core.New(core.Invalid, "bad_json", "The params of %s are not as the protocol has them: name must be text, arguments and _meta must be objects.", callTool)
	}
	return nil
}

func errLarge() error {
	return core.New(core.TooLarge, "too_large", "The message is too large beside the arguments of a tool. Leave out what is not needed.")
}

// measure returns about how many bytes of memory a message takes once it is decoded: the
// arguments of a tool, and the rest. It reads no further than either may be.
func measure(body []byte) (arguments, rest int) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), options)
	part := &rest
	for rest <= maxDecoded && arguments <= maxArguments {
		before := dec.InputOffset()
		token, err := dec.ReadToken()
		if err != nil {
			break // the end
		}
		*part += int(dec.InputOffset()-before) + costOf(token.Kind())
		if dec.StackDepth() == 2 { // otherwise within the same member of params
			part = &rest
			if kind, n := dec.StackIndex(2); kind == '{' && n%2 == 1 && dec.StackPointer() == "/params/arguments" {
				part = &arguments
			}
		}
	}
	return arguments, rest
}

func costOf(kind jsontext.Kind) int {
	switch kind {
	case '{':
		return objectCost
	case '[':
		return arrayCost
	case '}', ']':
		return 0
	}
	return valueCost
}

// membersOf returns the members of an object; none of what is not one.
func membersOf(v []byte) (members map[string]jsontext.Value) {
	if json.Unmarshal(v, &members, options) != nil {
		return nil
	}
	return members
}

// textOf returns a string; "" for what is not one.
func textOf(v []byte) (text string) {
	if json.Unmarshal(v, &text, options) != nil {
		return ""
	}
	return text
}
