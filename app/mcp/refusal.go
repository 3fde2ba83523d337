package mcp

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
)

// refusals adds a code and a next step to plain-text errors of the SDK, by a part of their text.
var refusals = []struct{ part, code, next string }{
	{"JSON RPC not handled", "unknown_method", "This server has no such method. Send one of the protocol, such as tools/list or tools/call."},
	{"session not found", "session_not_found", "This session has ended, or there is none with this id. Begin one with initialize, or send the message without Mcp-Session-Id."},
	{"session is closing", "session_not_found", "This session is ending. Begin another one with initialize."},
	{"session user mismatch", "other_account", "This session belongs to another account. Begin one of your own with initialize."},
	{"requires an Mcp-Session-Id", "session_required", "Send the header Mcp-Session-Id with the id of a session, which a response to initialize has."},
	{"Method Not Allowed", "method_not_allowed", "Use POST to send a message, GET to read the stream of a session, and DELETE to end it."},
	{"Content-Type must be", "unsupported_type", "Send the message as JSON, with the header Content-Type: application/json."},
	{"Accept must contain", "not_acceptable", "Send the header Accept: application/json, text/event-stream."},
	{"Last-Event-ID", "no_replay", "Streams are not sent again. Open the stream without Last-Event-ID, and read what has changed."},
	{"stream replay", "no_replay", "Streams are not sent again. Open the stream without Last-Event-ID, and read what has changed."},
	{"stream ID conflicts", "stream_open", "This session has a stream already. Read that one, or end it first."},
	{"Unsupported protocol version", "unsupported_version", ""},
}

func refusalOf(text string) []byte {
	text = strings.TrimPrefix(strings.TrimSpace(text), "Bad Request: ")
	for _, r := range refusals {
		if strings.Contains(text, r.part) {
			return errorBody(cmp.Or(r.next, text+". Use one of these."), r.code, "")
		}
	}
	return errorBody("The message was refused: "+text+". Change it and send it again.", "bad_message", "")
}

func errorBody(sentence, code, requestID string) []byte {
	b, err := json.Marshal(struct {
		Error     string `json:"error"`
		Code      string `json:"code"`
		RequestID string `json:"requestId,omitzero"`
	}{strings.ToValidUTF8(sentence, "\uFFFD"), code, requestID})
	if err != nil {
		b = []byte("{}")
	}
	return append(b, '\n')
}
