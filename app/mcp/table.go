package mcp

import "hearth/app/op"

// Tool is a row of the table: an operation as agents call it.
type Tool struct {
	Name, Title string
	Doc         string        // when to use it, for models
	Op          *op.Operation // with the guard of this transport
	// Fixed has parameters of the query that are not arguments.
	Fixed map[string]string
	// A ByItem tool finds the list from the item, so the list is no argument.
	ByItem bool
	// A NoKey tool takes no api_key.
	NoKey bool
	// An Outside tool returns text from another server.
	Outside bool
}

// Tools returns the table of all tools. Arguments are the members of the operation's input; the id in its path has its
// noun, as in list_id.
func (s *Server) Tools() []Tool {
	l := s.cfg.List
	return []Tool{
		{Name: "search_lists", Title: "Search lists", Doc: "Find lists by words in their titles and descriptions.", Op: l.Search.Op,
			Fixed: map[string]string{"kind": "lists"}},
		{Name: "list_lists", Title: "Browse lists", Doc: "Browse public and members' lists, newest change first.",
			Op: l.Browse.Op, Fixed: map[string]string{"public": "true", "mine": "false"}},
		{Name: "get_list", Title: "Get a list", Doc: "Read one list's title, description, owner and visibility.", Op: l.GetList.Op},
		{Name: "search", Title: "Search lists and items", Doc: "Find lists and items by words.", Op: l.Search.Op},
		{Name: "list_items", Title: "List items", Doc: "Read the items of a list in order.", Op: l.Items.Op},
		{Name: "get_item", Title: "Get an item", Doc: "Read one item with its source and counts.", Op: l.GetItem.Op, ByItem: true},
		{Name: "list_my_lists", Title: "List my lists", Doc: "List the lists you own or that are shared with you.",
			Op: l.Lists.Op.WithGuard(op.ListOwnRead), Fixed: map[string]string{"public": "false", "mine": "true"}},
		{Name: "browse_url", Title: "Read a web page", Doc: "Fetch a public web page as text, to check or describe a link.",
			Op: s.cfg.Browse.BrowseURL.Op, NoKey: true, Outside: true},
		{Name: "create_list", Title: "Create a list", Doc: "Create a list, with its first items if you have them.",
			Op: l.CreateList.Op.WithGuard(op.ListToolWrite)},
		{Name: "create_item", Title: "Add items", Doc: "Add 1 to 100 items to the end of a list: all or none.",
			Op: l.AddItems.Op.WithGuard(op.ListToolWrite)},
		{Name: "update_item", Title: "Update an item", Doc: "Change, move or check off an item. Only what you send changes.",
			Op: l.UpdateItem.Op.WithGuard(op.ListToolWrite), ByItem: true},
		{Name: "update_list", Title: "Update a list", Doc: "Change a list's title, description or visibility.",
			Op: l.UpdateList.Op.WithGuard(op.ListToolWrite)},
		{Name: "star_item", Title: "Star an item", Doc: "Mark an item as one you like.", Op: l.StarItem.Op.WithGuard(op.ListToolWrite),
			ByItem: true},
		{Name: "unstar_item", Title: "Remove a star", Doc: "Take your star from an item.", Op: l.UnstarItem.Op.WithGuard(op.ListToolWrite),
			ByItem: true},
		{Name: "delete_item", Title: "Delete an item", Doc: "Delete an item for good.", Op: l.DeleteItem.Op.WithGuard(op.ListToolWrite),
			ByItem: true},
	}
}
