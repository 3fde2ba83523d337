package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type prompt struct{ name, title, doc, text string }

func prompts() []prompt {
	return []prompt{
		{"curate_list", "Curate a list", "Review a list and propose how to improve it.",
			"Review the list below for its readers. Say in one paragraph what it is for. Then propose, as a numbered list, which items to reword, " +
				"reorder, add or remove, " +
				"and why; check links with browse_url where it helps. Change nothing before I agree. Then use update_item, create_item, update_list " +
				"and delete_item."},
		{"find_duplicates", "Find duplicates", "Find items of a list that say the same or have the same link.",
			"Find the items of the list below that mean the same thing or lead to the same page, also with other words " +
				"or another form of the link. " +
				"Show each group with the ids of its items and say which one to keep and why. Delete nothing before I agree. Then use update_item to " +
				"keep what is worth keeping, and delete_item."},
	}
}

func (s *Server) addPrompts() {
	for _, p := range prompts() {
		shown := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.doc, Arguments: []*mcp.PromptArgument{
			{Name: "list_id", Title: "List", Description: "The id of the list.", Required: true},
		}}
		s.sdk.AddPrompt(shown, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return s.startPrompt(ctx, p, req)
		})
	}
}

func (s *Server) startPrompt(ctx context.Context, p prompt, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	id := req.Params.Arguments["list_id"]
	if id == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "list_id is required: send the id of a list."}
	}
	text, err := s.listText(ctx, req.Extra, id)
	if err != nil {
		return nil, s.protocolError(ctx, err)
	}
	return &mcp.GetPromptResult{Description: p.doc, Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: p.text}},
		{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: listPrefix + id, MIMEType: markdown, Text: text}}},
	}}, nil
}
