package api

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/chat"
	"hearth/app/core"
)

func webhookBodies(routes []Route) []reflect.Type {
	if !slices.ContainsFunc(routes, func(r Route) bool { return tag(r.Path) == webhookTag }) {
		return nil
	}
	return []reflect.Type{reflect.TypeFor[chat.WebhookDelivery]()}
}

const webhookTag = "webhooks"

func (s *schemas) webhooks(routes []Route) map[string]map[string]*specOp {
	bodies := webhookBodies(routes)
	if len(bodies) == 0 {
		return nil
	}
	header := func(name, doc string) specParam {
		return specParam{Name: name, In: "header", Required: true, Description: doc, Schema: &jsonschema.Schema{Type: "string"}}
	}
	created := &specOp{
		OperationID: "receiveMessageCreated", Tags: []string{webhookTag}, Summary: "Receive a message that was sent.",
		Description: "Sent by the server to the URL of each webhook for the conversation, with the messages of a conversation in order. " +
			"Check one of the signatures before you use the body. A delivery can come more than once, with the same webhook-id. " +
			"One that fails is attempted up to eight times within about 24 hours. A receiver has ten seconds to answer, and redirects are not " +
			"followed.",
		Security: []map[string][]string{},
		Parameters: []specParam{
			header("X-Chat-Secret", "The token of the webhook, as returned when it was created. It is not the key of the signatures."),
			header("X-Chat-Signature", "sha256= and the HMAC-SHA256 of the body in hexadecimal, with the secret of the webhook as it is written "+
				"as key."),
			header("webhook-id", "The id of the delivery, the same in every attempt (Standard Webhooks)."),
			header("webhook-timestamp", "The time of the attempt in seconds since 1970 (Standard Webhooks). "+
				"Refuse one that is far from your clock."),
			header("webhook-signature", "v1, and the HMAC-SHA256 in base64 of the webhook-id, the webhook-timestamp and the body, joined by full "+
				"stops (Standard Webhooks). The key is the secret after whsec_, decoded from base64, or for a secret without that prefix its bytes."),
		},
		RequestBody: &specBody{Required: true, Content: map[string]specMedia{"application/json": {s.Value(bodies[0], core.Rule{})}}},
		Responses: map[string]specResponse{
			"2XX":     {Description: "The message was received."},
			"410":     {Description: "The receiver is gone: the webhook is disabled."},
			"default": {Description: "The delivery failed and is attempted again, after Retry-After if the response has it."},
		},
	}
	return map[string]map[string]*specOp{"message.created": {"post": created}}
}
