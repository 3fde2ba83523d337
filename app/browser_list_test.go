package app_test

// openListLooks returns the pages of an open list with comments, and with items
// that wait for its owner.
func openListLooks(s *browserServer, guest, ada *tab) []look {
	id := s.post("ada", "/api/lists", `{"title":"Benches","description":"Where to sit","visibility":"public-edit","moderated":true}`)
	item := s.post("ben", "/api/lists/"+id+"/items", `{"content":"By the mill, in the afternoon","link":"https://benches.example/mill"}`)
	path := "/list/" + id
	here := path + "/item/" + item
	s.post("cleo", "/api/lists/"+id+"/items/"+item+"/comments", `{"content":"It is being painted until Friday, see https://mill.example/"}`)
	s.post("ada", "/api/lists", `{"title":"Elsewhere","visibility":"public","items":[{"content":"The mill","link":"http://benches.example/mill/"}]}`)
	s.json("ben", "PUT", "/api/lists/"+id+"/items/"+item+"/star", "")
	s.json("ada", "PUT", "/api/lists/"+id+"/members/"+s.ids["$id:ben"], `{"role":"editor"}`)
	return []look{
		{"open-list-guest", guest, func(p *tab) { p.open(path) }},
		{"open-receipt", guest, func(p *tab) {
			p.open(path)
			p.fill("#content", "A green bench")
			p.fill("#reporter", "Walker")
			p.send("Add")
		}},
		at("open-queue", ada, path+"/queue"), at("open-item", ada, here), at("open-item-guest", guest, here), at("open-edit", ada, path+"/edit"), at("open-people", ada, path+"/people"),
		{"open-answer", ada, func(p *tab) {
			p.open(here)
			p.follow(func() { p.clickOn(`document.querySelectorAll(".comment a.btn-link")`) })
		}},
		at("open-search", ada, "/list/search?q=mill"),
	}
}
