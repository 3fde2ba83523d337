package limit

import "time"

// Per is the key of a rate.
type Per string

// Person is the account with its bots, or the address of a guest. Address is the network address, with the
// /64 of IPv6. The Name explains Other.
const (
	Person    Per = "person"
	Address   Per = "address"
	Key       Per = "key"
	Other     Per = "see the name"
	Everybody Per = "server"
)

// Rule is a rate: N calls at once, and N more within In. Calls return one by one. Stored calls return all at
// the end, and outlive a restart.
type Rule struct {
	Name    string
	Per     Per
	N       int
	In      time.Duration
	Stored  bool
	General bool // --rate-limits off disables it
	Code    string
	Msg     string
}

// Rate names a rule.
type Rate uint8

// The rates. The zero value is Writes.
const (
	Writes Rate = iota
	SmallWrites
	Signals
	Reads
	SignInMails
	SignInTries
	PasswordsFrom
	PasswordsFor
	Registrations
	InvitationMails
	Bots
	Feedback
	FriendRequests
	FriendCooldown
	Reports
	Blocks
	Conversations
	Additions
	Added
	ContextMinute
	ContextDay
	AgentsAsked
	InboxPolls
	IntentionStates
	OpenListItems
	Receipts
	ListsShown
	Imports
	ImportChecks
	LinkPreviews
	PagesRead
	PageErrors
	AllPageErrors
	WebhookTests
	Subscriptions
	PushTests
	SecretaryTries
	rates
)

// Rule returns the rule of r.
func (r Rate) Rule() *Rule { return &table[r] }

// table is read-only.
var table = [rates]Rule{
	Writes:      {Name: "writes", Per: Person, N: 300, In: 150 * time.Second, General: true},
	SmallWrites: {Name: "marks, stars and reactions", Per: Person, N: 300, In: 30 * time.Second, General: true},
	Signals:     {Name: "signs of typing", Per: Person, N: 30, In: 30 * time.Second, General: true},
	Reads:       {Name: "reads, and each 8 KiB of their responses", Per: Person, N: 240, In: 8 * time.Second, General: true},
	SignInMails: {Name: "sign-in mails", Per: Address, N: 20, In: 400 * time.Second, Code: "too_many_tries",
		Msg: "Many sign-in links were requested from your network in a short time, so none was sent."},
	SignInTries:   {Name: "sign-in tries", Per: Address, N: 30, In: 150 * time.Second, Code: "too_many_tries"},
	PasswordsFrom: {Name: "passwords for one account from one address", Per: Other, N: 10, In: 10 * time.Minute, Code: "too_many_tries"},
	PasswordsFor:  {Name: "passwords for one account", Per: Other, N: 100, In: 50 * time.Minute, Code: "too_many_tries"},
	Registrations: {Name: "register-agent", Per: Address, N: 5, In: time.Hour, Stored: true, Code: "too_many_registrations",
		Msg: "One address can register 5 agents an hour. You can use a key of an account that you have."},
	InvitationMails: {Name: "invitation mails", Per: Person, N: 50, In: 24 * time.Hour, Stored: true, Code: "too_many_invitations",
		Msg: "You have sent 50 invitations by e-mail within a day. You can send the others a link."},
	Bots: {Name: "bots", Per: Person, N: 40, In: 24 * time.Hour, Stored: true, Code: "too_many_bots",
		Msg: "You have created 40 bots within a day. You can use those."},
	Feedback: {Name: "feedback", Per: Person, N: 10, In: time.Hour, Stored: true, Code: "too_much_feedback",
		Msg: "You have sent a lot of feedback within an hour."},
	FriendRequests: {Name: "friend requests", Per: Person, N: 20, In: time.Hour, Stored: true, Code: "too_many_friend_requests",
		Msg: "You have asked 20 people within an hour."},
	FriendCooldown: {Name: "requests to a person who declined", Per: Person, N: 1, In: 7 * 24 * time.Hour, Stored: true,
		Code: "declined_before", Msg: "This person declined your request. You can ask them again seven days later."},
	Reports: {Name: "reports", Per: Person, N: 30, In: time.Hour, Stored: true, Code: "too_many_reports",
		Msg: "You have made 30 reports within an hour. You can write to an administrator."},
	Blocks: {Name: "blocks", Per: Person, N: 100, In: 50 * time.Minute},
	Conversations: {Name: "conversations", Per: Person, N: 200, In: time.Hour, Stored: true, Code: "too_many_conversations",
		Msg: "You have created 200 conversations within an hour. You can use those."},
	Additions: {Name: "people added to groups and lists", Per: Person, N: 1000, In: time.Hour, Stored: true, Code: "too_many_additions",
		Msg: "You have added many people within an hour. You can send them a link."},
	Added: {Name: "additions of one account by others", Per: Other, N: 100, In: time.Hour, Stored: true, Code: "too_many_additions",
		Msg: "This person was added many times within an hour. You can send them a link."},
	ContextMinute: {Name: "Context posts in one conversation", Per: Person, N: 20, In: time.Minute, Stored: true, Code: "too_many_posts",
		Msg: "You have posted 20 times within a minute, which is the most."},
	ContextDay: {Name: "Context posts in one conversation, by UTC day", Per: Person, N: 100, In: 24 * time.Hour, Stored: true,
		Code: "too_many_posts", Msg: "You have posted 100 times today in this conversation, which is the most for a day, by UTC."},
	AgentsAsked: {Name: "agents asked about Context posts", Per: Person, N: 30, In: time.Hour, Stored: true,
		Code: "too_many_requests_to_agents", Msg: "You have asked 30 agents within an hour, which is the most."},
	InboxPolls:      {Name: "polls of an agent's inbox", Per: Key, N: 120, In: 2 * time.Minute, Code: "too_many_polls"},
	IntentionStates: {Name: "states of intentions", Per: Person, N: 100, In: 50 * time.Minute},
	OpenListItems: {Name: "items without account in one list", Per: Address, N: 60, In: time.Hour, Stored: true, Code: "too_many_items",
		Msg: "Without an account, one address can add 60 items an hour to a list. With a key of your own you can add more."},
	Receipts: {Name: "changes of items without account", Per: Address, N: 60, In: time.Hour, Code: "too_many_items"},
	ListsShown: {Name: "lists shown to others", Per: Person, N: 100, In: 24 * time.Hour, Stored: true, Code: "too_many_changes",
		Msg: "You have changed who sees your lists 100 times within a day. You can still make them private."},
	Imports:       {Name: "imports", Per: Person, N: 20, In: time.Hour, Code: "too_many_imports"},
	ImportChecks:  {Name: "checks of imports", Per: Person, N: 60, In: time.Hour, Code: "too_many_imports"},
	LinkPreviews:  {Name: "link previews", Per: Address, N: 30, In: time.Minute, Code: "too_many_previews"},
	PagesRead:     {Name: "pages read by browse_url", Per: Address, N: 30, In: time.Minute},
	PageErrors:    {Name: "browser errors", Per: Address, N: 10, In: time.Minute, Code: "too_many_reports"},
	AllPageErrors: {Name: "browser errors of all", Per: Everybody, N: 200, In: 20 * time.Minute, Code: "too_many_reports"},
	WebhookTests:  {Name: "webhook tests", Per: Person, N: 10, In: time.Minute, Code: "too_many_tests"},
	Subscriptions: {Name: "browsers that receive notifications", Per: Person, N: 40, In: 24 * time.Hour, Stored: true,
		Code: "too_many_subscriptions", Msg: "You have turned on notifications in 40 browsers within a day."},
	PushTests:      {Name: "test notifications", Per: Person, N: 10, In: time.Minute, Code: "too_many_tests"},
	SecretaryTries: {Name: "tries of automatic answers", Per: Person, N: 20, In: time.Minute, Code: "too_many_tries"},
}
