package app_test

import (
	"database/sql"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hearth/store"
)

// fate is what happens to the rows of an account when its address is first proven:
// the rows that meet the condition end, or all stay, and why.
type fate struct{ end, stay string }

const anyRow = "1"

// fates has every column that names an account.
var fates = map[string]fate{
	"api_key.user_id":              {end: "revoked_at IS NULL"},
	"approval_grant.user_id":       {end: anyRow},
	"card.user_id":                 {end: anyRow},
	"community_invite.created_by":  {end: anyRow},
	"friend.other_id":              {end: anyRow},
	"friend.user_id":               {end: anyRow},
	"friend_cooldown.other_id":     {end: anyRow},
	"friend_cooldown.requester_id": {end: anyRow},
	"intent.owner_id":              {end: "status IN ('active', 'paused')"},
	"intent_draft.owner_id":        {stay: "does nothing before its owner publishes it"},
	"invite.created_by":            {end: anyRow},
	"secretary.user_id":            {end: anyRow},
	"secretary_answer.user_id":     {end: anyRow},
	"session.user_id":              {end: "epoch < (SELECT epoch FROM user u WHERE u.id = user_id)"},
	"story.owner_id":               {end: "status <> 'withdrawn'"},
	"webhook.user_id":              {end: anyRow},
	"push_subscription.user_id":    {end: anyRow},
	"push_preference.user_id":      {stay: "a setting, which its owner sees and can change"},
	"attachment.user_id":           {stay: "what the account uploaded, which its owner sees and can delete"},
	"audit.actor_id":               {stay: "a record for administrators"},
	"block.blocked_id":             {stay: "the decision of another account"},
	"block.blocker_id":             {stay: "gives nobody anything; the settings show it, and it can be lifted there"},
	"context_intention.owner_id":   {stay: "what the account wrote; without its intent it is not matched"},
	"context_post.author_id":       {stay: "what the account wrote"},
	"context_request.owner_id":     {stay: "can be answered with its key alone, which is revoked"},
	"context_request.requester_id": {stay: "asks others, who answer in the conversation"},
	"conversation_change.actor_id": {stay: "the log of a conversation"},
	"conversation_change.user_id":  {stay: "the log of a conversation"},
	"erased.user_id":               {stay: "an account that is deleted is not proven"},
	"event.actor_id":               {stay: "has no content, and is delivered to those who may see its object"},
	"feedback.user_id":             {stay: "a record for administrators"},
	"former_member.user_id":        {stay: "keeps others from adding the account to a group again"},
	"found_person.found_id":        {stay: "of those who know the address"},
	"found_person.user_id":         {stay: "lets the account write to others, and nobody else"},
	"intent_audience.user_id":      {stay: "the decision of another account"},
	"intent_match.a_user":          {stay: "without its intent an open match connects nobody; others are connected"},
	"intent_match.b_user":          {stay: "without its intent an open match connects nobody; others are connected"},
	"item.author_id":               {stay: "what the account wrote"},
	"item.checked_by":              {stay: "what the account wrote"},
	"item_comment.author_id":       {stay: "what the account wrote"},
	"item_star.user_id":            {stay: "what the account wrote"},
	"list.owner_id":                {stay: "what the account wrote; who may see it is shown with it"},
	"list_member.user_id":          {stay: "the decision of another account; the account can leave"},
	"login_link.user_id":           {stay: "of an account without an address, which asks to prove one"},
	"member.user_id":               {stay: "a conversation that the account sees and can leave; nobody else reads as it"},
	"mention.user_id":              {stay: "what others wrote"},
	"message.sender_id":            {stay: "what the account wrote"},
	"picture.user_id":              {stay: "the profile, which its owner sees and can change"},
	"reaction.user_id":             {stay: "what the account wrote"},
	"report.decided_by":            {stay: "a record for administrators"},
	"report.reporter_id":           {stay: "a record for administrators"},
	"report.user_id":               {stay: "a record for administrators"},
	"report_file.user_id":          {stay: "a record for administrators"},
	"social_preference.user_id":    {stay: "a setting, which its owner sees and can change"},
	"story_audience.user_id":       {stay: "the decision of another account"},
	"story_new.user_id":            {stay: "which Stories of others the account has not seen"},
	"thought.user_id":              {stay: "what the account wrote"},
	"thought_collapsed.user_id":    {stay: "how the account is shown a conversation"},
	"thought_pin.pinned_by":        {stay: "what the account shared with a conversation, whose members see it"},
	"user.bot_owner_id":            {stay: "a bot without keys and webhooks, which its owner sees and can delete"},
	"user_word.user_id":            {stay: "the name, by which the account is found"},
}

// accountColumn matches the names of columns with the id of an account that do not
// refer to its row.
var accountColumn = regexp.MustCompile(`^(user|owner|actor|author|sender|requester|reporter|other|found)_id$|_by$|_user$`)

// accountColumns returns the columns of all tables that name an account.
func accountColumns(t *testing.T, db *sql.DB) (columns []string) {
	t.Helper()
	rows, err := db.Query(`SELECT t.name, c.name, EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name) f
		WHERE f."from" = c.name AND f."table" = 'user'),
			EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name) f WHERE f."from" = c.name)
		FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var table, column string
		var refers, other bool
		if err := rows.Scan(&table, &column, &refers, &other); err != nil {
			t.Fatal(err)
		}
		if refers || !other && accountColumn.MatchString(column) {
			columns = append(columns, table+"."+column)
		}
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return columns
}

// Somebody registers an account with an address that they do not own. Once the address
// is proven, nothing that they made reads, acts or admits any more. What the account
// wrote is still there. Every column that names an account says which of both it is.
func TestWhatTheProofOfAnAddressEnds(t *testing.T) {
	w := newWorld(t)
	eraseStage(t, w)
	w.stageProof()
	db, err := sql.Open("sqlite", "file:"+w.app.DB().Path())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	columns := accountColumns(t, db)
	if known := slices.Sorted(maps.Keys(fates)); !slices.Equal(columns, known) {
		t.Errorf("columns that name an account, and columns with a decided fate of their rows when its address is proven:\n%s\n%s",
			strings.Join(columns, "\n"), strings.Join(known, "\n"))
	}
	count := func(column, condition string) (n int) {
		table, name, _ := strings.Cut(column, ".")
		if err := db.QueryRow(`SELECT count(*) FROM "`+table+`" WHERE "`+name+
			`" IN (SELECT id FROM user WHERE id = ?1 OR bot_owner_id = ?1) AND (`+condition+`)`,
			w.ids["$id:ada"]).Scan(&n); err != nil {
			t.Fatalf("%s: %v", column, err)
		}
		return n
	}
	before := map[string]int{}
	for column, f := range fates {
		if f.end == "" {
			f.end = anyRow
		}
		before[column] = count(column, f.end)
	}
	w.proveAda()
	for column, f := range fates {
		switch {
		case f.end == "":
			if got := count(column, anyRow); got < before[column] {
				t.Errorf("%s: %d of %d rows are left; they should stay: %s", column, got, before[column], f.stay)
			}
		case column == "session.user_id": // the proof begins one
			if got := count(column, f.end); got != 0 {
				t.Errorf("%s: %d sessions from before the proof", column, got)
			}
		case before[column] == 0:
			t.Errorf("%s: the test has no row that ends", column)
		default:
			if got := count(column, f.end); got != 0 {
				t.Errorf("%s: %d of %d rows did not end", column, got, before[column])
			}
		}
	}
	w.wantRows(0, `SELECT count(*) FROM list_member m JOIN list l ON l.id = m.list_id WHERE l.owner_id = '`+w.ids["$id:ada"]+`'`)
	w.wantRows(0, `SELECT count(*) FROM delivery d WHERE d.next_at IS NOT NULL`)
}

// stageProof has ada do what eraseStage has not and the proof of an address ends, and
// makes her address unproven.
func (w *world) stageProof() {
	w.t.Helper()
	const story = `"text":"A Story","goal":"A goal","audience":{"userIds":["$id:ben"],"conversationIds":[]},` +
		`"storyExpiresAt":"2098-01-01T00:00:00Z"`
	w.want("ada", "PATCH", "/api/secretary", `{"enabled":true}`, 200, "")
	w.want("ada", "POST", "/api/chat/conversations/$id:group/invites", `{}`, 201, "")
	w.want("ben", "POST", "/api/friends/users/$id:ada/accept", ``, 200, "")
	w.want("cleo", "POST", "/api/friends/users/$id:ada/request", ``, 200, "")
	w.want("ada", "POST", "/api/friends/users/$id:cleo/decline", ``, 200, "")
	w.ids["$id:shared"] = idIn(w.t, w.want("ada", "POST", "/api/lists", `{"title":"Family","visibility":"private"}`, 201, "").body)
	w.want("ada", "PUT", "/api/lists/$id:shared/members/$id:ben", `{"role":"editor"}`, 200, "")
	w.want("ada", "PUT", "/api/lists/$id:shared/members/$id:cleo", `{"role":"editor"}`, 200, "")
	w.want("ada", "POST", "/api/intent-drafts", `{"goal":"A draft"}`, 201, "")
	grant := w.grantOf("ada", "/api/stories", `{"confirm":false,`+story+`}`)
	w.want("ada", "POST", "/api/stories", `{"confirm":true,"approvalGrant":"`+grant+`",`+story+`}`, 201, "")
	w.grantOf("ada", "/api/stories", `{"confirm":false,`+story+`}`)
	var made struct {
		Key string
		Bot struct{ ID string }
	}
	w.read(w.want("ada", "POST", "/api/agent-keys", `{"name":"bot","bot":{"name":"helper"}}`, 201, ""), 201, &made)
	w.tokens["ada/bot"], w.ids["$id:bot"] = made.Key, made.Bot.ID
	w.want("ada/bot", "POST", "/api/webhooks", `{"url":"https://squatter.example/hook"}`, 201, "")
	w.want("ada", "POST", "/api/chat/conversations/$id:group/participants", `{"userId":"$id:bot"}`, 201, "")
	w.sql(`INSERT INTO friend_cooldown (requester_id, other_id, until) VALUES (?, ?, 9999999999999999)`, w.ids["$id:ada"],
		w.ids["$id:stranger"])
	w.sql(`UPDATE user SET verified_at = NULL, discovery_mode = 'name' WHERE id = ?`, w.ids["$id:ada"])
}

// proveAda has the owner of the address of ada sign in.
func (w *world) proveAda() {
	w.t.Helper()
	var out struct{ Token string }
	w.read(w.json("bridge", "POST", "/api/auth/bridge-exchange", `{"app":"social","email":"ada@example.org"}`), 201, &out)
	w.tokens["owner of ada"] = out.Token
}

// After an address is proven, what others write to the account goes to its owner alone.
// Its webhooks and its bots' webhooks receive nothing. Its friendships end, and its lists
// are no longer shared; connected clients are told of both.
func TestNobodyReadsOnAfterTheProof(t *testing.T) {
	w := newWorld(t)
	eraseStage(t, w)
	w.stageProof()
	w.want("ben", "GET", "/api/lists/$id:shared", ``, 200, "Family")
	var last int64
	if err := w.app.DB().Read(t.Context(), func(r *store.Reader) (err error) { _, last, err = r.EventRange(); return err }); err != nil {
		t.Fatal(err)
	}
	w.proveAda()
	for kind, topic := range map[string]string{"list.shared": "$id:shared", "friend.updated": "$id:ben", "story.updated": "$id:ada",
		"auth.changed": "$id:bot"} {
		w.wantRows(1, `SELECT EXISTS (SELECT 1 FROM event WHERE kind = '`+kind+`' AND topic = '`+w.ids[topic]+`' AND id > `+
			strconv.FormatInt(last, 10)+`)`)
	}
	for _, who := range []string{"ben", "cleo"} {
		w.wantRows(1, `SELECT count(*) FROM event WHERE kind = 'list.shared' AND object_id = '`+w.ids["$id:"+who]+`' AND id > `+
			strconv.FormatInt(last, 10))
	}
	w.want("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"the safe code"}`, 201, "")
	w.wantRows(0, `SELECT count(*) FROM delivery`)
	w.want("ben", "GET", "/api/lists/$id:shared", ``, 404, "")
	w.want("ben", "GET", "/api/friends/users/$id:ada", ``, 200, `"state":"none"`)
	for _, who := range []string{"ada", "ada/bot"} {
		w.want(who, "GET", "/api/chat/conversations", ``, 401, "")
	}
	w.want("owner of ada", "GET", "/api/lists/$id:shared", ``, 200, "Family")
	if res := w.want("owner of ada", "GET", "/api/webhooks", ``, 200, ""); strings.TrimSpace(string(res.body)) != "[]" {
		t.Errorf("webhooks: %s", res.body)
	}
}
