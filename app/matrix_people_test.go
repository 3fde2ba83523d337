package app_test

// peopleCases are the cases of blocks, friends, cards and reports. In the stage
// ada blocks emil, has asked fay, was asked by cleo, and is ben's friend.
func peopleCases() map[string]matrixCase {
	return map[string]matrixCase{
		"GET /api/chat/blocks": free("/api/chat/blocks", "", 200),
		"POST /api/chat/users/{id}/block": {path: "/api/chat/users/$id:dora/block", own: 200, member: 200, ex: 200, stranger: 200,
			missing: 404},
		"DELETE /api/chat/users/{id}/block": private("/api/chat/users/$id:emil/block", "", 204),
		"GET /api/friends":                  free("/api/friends", "", 200),
		"GET /api/friends/users/{id}": {path: "/api/friends/users/$id:dora", own: 200, member: 200, ex: 200, stranger: 200,
			missing: 404},
		"POST /api/friends/users/{id}/request": {path: "/api/friends/users/$id:dora/request", own: 200, member: 200, ex: 200, stranger: 200,
			missing: 404},
		"POST /api/friends/users/{id}/accept": {path: "/api/friends/users/$id:cleo/accept", own: 200, member: 409, ex: 400, stranger: 409,
			missing: 404},
		"POST /api/friends/users/{id}/decline": {path: "/api/friends/users/$id:cleo/decline", own: 200, member: 409, ex: 400, stranger: 409,
			missing: 404},
		"POST /api/friends/users/{id}/cancel": {path: "/api/friends/users/$id:fay/cancel", own: 200, member: 409, ex: 409, stranger: 409,
			missing: 404},
		"POST /api/friends/users/{id}/remove": {path: "/api/friends/users/$id:ben/remove", own: 200, member: 400, ex: 409, stranger: 409,
			missing: 404},
		"GET /api/card/me":                      free("/api/card/me", "", 200),
		"PATCH /api/card/me":                    free("/api/card/me", `{"headline":"New"}`, 200),
		"POST /api/card/me/rotate":              free("/api/card/me/rotate", "", 200),
		"GET /api/card/{token}":                 free("/api/card/$text:card", "", 200),
		"GET /api/card/{token}/friend-status":   free("/api/card/$text:card/friend-status", "", 200),
		"POST /api/card/{token}/friend-request": free("/api/card/$text:card/friend-request", "", 200),
		"POST /api/chat/reports":                free("/api/chat/reports", `{"targetType":"user","targetId":"$id:dora","reason":"spam"}`, 201),
	}
}

// stagePeople makes the objects of peopleCases, with canaries in the private
// texts.
func (w *world) stagePeople(must func(who, method, path, body string, status int, capture string)) {
	must("cleo", "POST", "/api/friends/users/$id:ada/request", "", 200, "")
	must("ada", "POST", "/api/friends/users/$id:fay/request", "", 200, "")
	must("ada", "POST", "/api/friends/users/$id:ben/request", "", 200, "")
	must("ben", "POST", "/api/friends/users/$id:ada/accept", "", 200, "")
	must("cleo", "PATCH", "/api/card/me", `{"enabled":true,"headline":"`+
		w.plant("headline", "ada", "ben", "cleo", "stranger", "root", "anonymous", "public", "bridge", "bad")+`"}`, 200, "")
	must("ada", "PATCH", "/api/card/me", `{"headline":"`+w.plant("hidden", "ada")+`"}`, 200, "")
	must("stranger", "POST", "/api/chat/reports", `{"targetType":"user","targetId":"$id:ada","reason":"`+w.plant("reason", "stranger", "root")+
		`","freeform":"`+w.plant("freeform", "stranger", "root")+`"}`, 201, "")
}
