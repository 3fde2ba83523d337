package op

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// However many strangers come, limits of accounts and of addresses of e-mail that have
// been used a lot stay; of addresses those that are full again first are dropped.
func TestLimitsOutlastFloods(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := NewLimits(func() time.Time { return now }, true)
	const most = 1000
	if l.buckets[Addresses].Max != maxBuckets || l.buckets[Emails].Max != maxBuckets {
		t.Error("a table has no bound")
	}
	l.buckets[Addresses].Max, l.buckets[Emails].Max = most, most
	of := func(of Of, key, address string) error {
		return l.use(bucketKey{key: key}, Limit{Burst: 2, Every: time.Minute, Of: of}, address, 1)
	}
	guess, write := func() error { return of(Emails, "ada@example.org", "192.0.2.1") }, func() error { return of(Accounts, "ada", "192.0.2.1") }
	try := func() error { return of(Addresses, "192.0.2.1", "192.0.2.1") }
	for name, use := range map[string]func() error{"guesses": guess, "writes": write, "tries": try} {
		if err := errors.Join(use(), use()); err != nil {
			t.Fatal(name, err)
		}
	}
	now = now.Add(time.Millisecond)
	for i := range most + 100 {
		for kind := range tables {
			if err := of(kind, strconv.Itoa(i), strconv.Itoa(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, use := range map[string]func() error{"guesses": guess, "writes": write, "tries": try} {
		if err := use(); !core.IsKind(err, core.TooMany) {
			t.Errorf("%s after a flood: %v", name, err)
		}
	}
	for kind, want := range [tables]int{most, most, most + 101} {
		if n := l.buckets[kind].Len(); n != want {
			t.Errorf("%d buckets of kind %d, want %d", n, kind, want)
		}
	}
}

// Buckets that are full again go as others come.
func TestLimitsForgetFullBuckets(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := NewLimits(func() time.Time { return now }, true)
	for round := range 10 {
		for i := range 100 {
			if err := l.use(bucketKey{key: strconv.Itoa(round*100 + i)}, Limit{Burst: 2, Every: time.Minute, Of: Accounts}, "", 1); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Hour)
	}
	if n := l.buckets[Accounts].Len(); n > 100 {
		t.Errorf("%d buckets are left of 100 in use at once", n)
	}
}

// While there are many addresses, those of one IPv6 network share its buckets; addresses
// of other networks do not.
func TestLimitsOfANetwork(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := NewLimits(func() time.Time { return now }, true)
	const most = 10_000
	l.buckets[Addresses].Max = most
	limit := Limit{Burst: 2, Every: time.Minute}
	use := func(address string) error {
		return l.use(bucketKey{key: address + " ada@example.org"}, limit, address, 1)
	}
	done := 0
	for i := range most {
		if use(fmt.Sprintf("2001:db8:1:%x::/64", i)) == nil {
			done++
		}
	}
	if want := most/2 + limit.Burst; done != want {
		t.Errorf("one network has %d uses, want %d", done, want)
	}
	for _, address := range []string{"2001:db8:2:1::/64", "192.0.2.1"} {
		if err := use(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// The error says how long to wait for what is missing, not for all.
func TestLimitsWait(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := NewLimits(func() time.Time { return now }, false)
	limit := Limit{Burst: 4, Every: time.Minute}
	if err := l.use(bucketKey{}, limit, "", 3); err != nil {
		t.Fatal(err)
	}
	for n, wait := range map[int]time.Duration{2: time.Minute, 3: 2 * time.Minute, 9: 3 * time.Minute} {
		if e := core.As(l.use(bucketKey{}, limit, "", n)); e == nil || e.RetryAfter != wait {
			t.Errorf("%d: %v, want %v", n, e, wait)
		}
	}
	now = now.Add(time.Minute)
	if err := l.use(bucketKey{}, limit, "", 2); err != nil {
		t.Errorf("exactly when the wait is over: %v", err)
	}
}

// several counts as often as it says.
type several struct {
	N int `json:"n" min:"1"`
}

func (s *several) Weight() int { return s.N }

func (g *greeter) many(context.Context, store.Viewer, several) (string, error) { return "", nil }

// A write that counts as several takes as many uses of its rate, at most all of
// it, and the error says when they are there.
func TestWeight(t *testing.T) {
	now := time.Unix(1e9, 0)
	g := &greeter{}
	many := New(NewLimits(func() time.Time { return now }, true), g.many, Spec{Summary: "Greet several", Guard: Member})
	for _, tc := range []struct {
		n    int
		wait time.Duration // 0: it is done
	}{{60, 0}, {40, 0}, {7, 7 * time.Second}, {1, time.Second}} {
		_, err := many.Call(t.Context(), human("u"), several{tc.n})
		if e := core.As(err); err == nil != (tc.wait == 0) || err != nil && (e.Kind != core.TooMany || e.RetryAfter != tc.wait) {
			t.Errorf("%d: %v", tc.n, err)
		}
	}
	if _, err := many.Call(t.Context(), human("v"), several{1000}); err != nil {
		t.Errorf("more than there ever are: %v", err)
	}
}

// stored is an input with text.
type stored struct {
	Text  string   `json:"text"`
	Texts []string `json:"texts"`

	body int
}

func (s *stored) TextSize() int { return s.body }

func (g *greeter) store(context.Context, store.Viewer, stored) (string, error) { return "", nil }

// What one account stores as text is bounded for all operations that store together,
// and lasts until the day brings more.
func TestTextIsLimited(t *testing.T) {
	now := time.Unix(1e9, 0)
	limits := NewLimits(func() time.Time { return now }, true)
	g := &greeter{}
	many := Rate{Burst: 300, Every: time.Nanosecond}
	spec := Spec{Summary: "Store", Guard: Public, Rate: many, Stores: true}
	one, two := New(limits, g.store, spec), New(limits, g.store, spec)
	free := New(limits, g.store, Spec{Summary: "Show", Guard: Public, Rate: many})
	part := stored{Texts: []string{strings.Repeat("x", TextBurst/8), strings.Repeat("x", TextBurst/8)}}
	part.body = TextBurst/8 - rowsSize
	for i := range 4 {
		if i == 1 {
			part = stored{body: TextBurst/8*3 - 100, Text: strings.Repeat("x", 100-rowsSize/10)}
			part.body -= rowsSize - rowsSize/10
		} else if i > 1 {
			part = stored{Text: strings.Repeat("x", TextBurst/8-rowsSize)}
		}
		if _, err := []*Func[stored, string]{one, two}[i%2].Call(t.Context(), human("u"), part); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	if _, err := two.Call(t.Context(), human("u"), stored{Text: "x"}); code(err) != "too_much_text" {
		t.Errorf("one byte more than the burst: %v", err)
	}
	if _, err := two.Call(t.Context(), store.Viewer{Kind: store.Agent, UserID: "b", OwnerID: "u", CanRead: true, CanWrite: true}, stored{Text: "x"}); code(err) != "too_much_text" {
		t.Errorf("one byte more by a bot: %v", err)
	}
	_, err := one.Call(t.Context(), human("u"), stored{Text: strings.Repeat("x", TextPerDay/24-rowsSize)})
	if e := core.As(err); e == nil || e.Kind != core.TooMany || e.Code != "too_much_text" || e.RetryAfter.Round(time.Minute) != time.Hour {
		t.Errorf("more than the burst: %v", err)
	}
	now = now.Add(core.As(err).RetryAfter)
	if _, err := two.Call(t.Context(), human("u"), stored{Text: strings.Repeat("x", TextPerDay/24-rowsSize)}); err != nil {
		t.Errorf("when it has told to come back: %v", err)
	}
	if _, err := one.Call(t.Context(), human("u"), stored{Text: "x"}); core.As(err).Code != "too_much_text" {
		t.Errorf("one byte more: %v", err)
	}
	for what, call := range map[string]func() error{
		"another account":                  func() error { _, err := one.Call(t.Context(), human("v"), part); return err },
		"an operation that stores no text": func() error { _, err := free.Call(t.Context(), human("u"), part); return err },
		"who has no account":               func() error { _, err := one.Call(t.Context(), store.Viewer{}, part); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A call that stores no text counts for what it stores otherwise, as often as it says; of
// one that only may store text, only that which does.
func TestRowsAreLimited(t *testing.T) {
	now := time.Unix(1e9, 0)
	limits := NewLimits(func() time.Time { return now }, true)
	g := &greeter{}
	many := Rate{Burst: 1 << 30, Every: time.Nanosecond}
	mark := New(limits, g.many, Spec{Summary: "Mark", Guard: Member, Rate: many, Stores: true})
	set := New(limits, g.store, Spec{Summary: "Set", Guard: Member, Rate: many, Texts: true})
	bot := func(id string) store.Viewer {
		return store.Viewer{Kind: store.Agent, UserID: id, OwnerID: "u", CanRead: true, CanWrite: true}
	}
	left := TextBurst / rowsSize
	for _, by := range []store.Viewer{human("u"), bot("a"), bot("b")} {
		if _, err := mark.Call(t.Context(), by, several{left / 3}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := mark.Call(t.Context(), bot("c"), several{3}); code(err) != "too_much_text" {
		t.Errorf("more marks than are text at once: %v", err)
	}
	if _, err := set.Call(t.Context(), human("u"), stored{}); err != nil {
		t.Errorf("what has no text: %v", err)
	}
	if _, err := set.Call(t.Context(), human("u"), stored{Text: strings.Repeat("x", rowsSize)}); code(err) != "too_much_text" {
		t.Errorf("what has text: %v", err)
	}
	limits.Space = func(context.Context) error { return core.New(core.StorageFull, "storage_full", "full") }
	if _, err := set.Call(t.Context(), human("v"), stored{}); err != nil {
		t.Errorf("what has no text without storage: %v", err)
	}
	if _, err := set.Call(t.Context(), human("v"), stored{Text: "x"}); code(err) != "storage_full" {
		t.Errorf("what has text without storage: %v", err)
	}
}

// All bots of a person together have the rate of one account for what is not counted as
// text, and leave the person theirs; of what is counted each has its own.
func TestBotsShareARate(t *testing.T) {
	now := time.Unix(1e9, 0)
	bot := func(id, owner string) store.Viewer {
		return store.Viewer{Kind: store.Agent, UserID: id, OwnerID: owner, CanRead: true, CanWrite: true}
	}
	for _, stores := range []bool{false, true} {
		f := New(NewLimits(func() time.Time { return now }, true), (&greeter{}).greet, Spec{Summary: "Greet", Guard: Member, Rate: Rate{Burst: 2, Every: time.Second}, Stores: stores})
		for i, by := range []store.Viewer{bot("a", "u"), bot("b", "u"), bot("c", "u"), human("u"), bot("d", "v")} {
			if _, err := f.Call(t.Context(), by, greetIn{Name: "x"}); core.IsKind(err, core.TooMany) != (i == 2 && !stores) {
				t.Errorf("call %d, which stores: %v: %v", i, stores, err)
			}
		}
	}
}

// A call that is refused for its text uses up nothing else, and says what it is about.
func TestTextIsRefusedWithoutUses(t *testing.T) {
	now := time.Unix(1e9, 0)
	limits := NewLimits(func() time.Time { return now }, true)
	few := Limit{Name: "few", Burst: 2, Every: time.Hour, By: func(by store.Viewer, _ any) string { return by.UserID }, Code: "few"}
	f := New(limits, (&greeter{}).store, Spec{Summary: "Store", Guard: Member, Rate: Rate{Burst: 2, Every: time.Hour}, Limits: []Limit{few}, Stores: true})
	call := func(n int) error {
		_, err := f.Call(t.Context(), human("u"), stored{Text: strings.Repeat("x", n)})
		return err
	}
	if err := call(TextBurst); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 3 {
		err = call(TextPerDay/12 - rowsSize)
		if e := core.As(err); e.Code != "too_much_text" || e.Msg != "You have stored a lot of text in a short time. Try again in 2 hours." {
			t.Fatalf("got %v", err)
		}
	}
	now = now.Add(core.As(err).RetryAfter)
	if err := call(TextPerDay/12 - rowsSize); err != nil {
		t.Errorf("when it has told to come back: %v", err)
	}
}

// Without an account an address has a budget of text, for all operations that store
// together, with the public key and without any.
func TestTextOfAnAddressIsLimited(t *testing.T) {
	now := time.Unix(1e9, 0)
	limits := NewLimits(func() time.Time { return now }, true)
	g := &greeter{}
	spec := Spec{Summary: "Store", Guard: Public, Stores: true}
	one, two := New(limits, g.store, spec), New(limits, g.store, spec)
	free := New(limits, g.store, Spec{Summary: "Show", Guard: Public})
	public := func(ip string) store.Viewer { return store.Viewer{Kind: store.PublicKey, IP: ip, CanWrite: true} }
	byte1 := stored{Text: "x"}
	for i, by := range []store.Viewer{public("192.0.2.1"), {IP: "192.0.2.1"}} {
		if _, err := []*Func[stored, string]{one, two}[i].Call(t.Context(), by, stored{Text: strings.Repeat("x", AddressTextBurst/2-rowsSize)}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := one.Call(t.Context(), public("192.0.2.1"), stored{Text: strings.Repeat("x", AddressTextPerDay/24-rowsSize)})
	if e := core.As(err); e == nil || e.Code != "too_much_text" || e.RetryAfter.Round(time.Minute) != time.Hour {
		t.Errorf("more than the burst: %v", err)
	}
	for range 200 {
		if _, err := free.Call(t.Context(), public("192.0.2.1"), byte1); err != nil {
			t.Fatalf("what stores no text: %v", err)
		}
	}
	for _, by := range []store.Viewer{public("192.0.2.2"), {Kind: store.Human, UserID: "u", IP: "192.0.2.1"}, {Kind: store.Operator}, {Kind: store.Bridge, IP: "192.0.2.1"}} {
		if _, err := one.Call(t.Context(), by, byte1); err != nil {
			t.Errorf("%v: %v", by.Kind, err)
		}
	}
	now = now.Add(time.Hour)
	if _, err := two.Call(t.Context(), store.Viewer{IP: "192.0.2.1"}, byte1); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	off := New(NewLimits(func() time.Time { return now }, false), g.store, spec)
	for range 2 {
		if _, err := off.Call(t.Context(), public("192.0.2.1"), stored{Text: strings.Repeat("x", AddressTextBurst)}); err != nil {
			t.Errorf("where the limits are lifted: %v", err)
		}
	}
}

// Every write has a rate, and those that name the same share it.
func TestRates(t *testing.T) {
	now := time.Unix(1e9, 0)
	limits := NewLimits(func() time.Time { return now }, true)
	g := &greeter{}
	shared := Rate{Name: "shared", Burst: 2, Every: time.Second}
	one := New(limits, g.greet, Spec{Summary: "Greet", Guard: Member, Rate: shared})
	two := New(limits, g.greet, Spec{Summary: "Greet", Guard: Member, Rate: shared})
	for i, f := range []*Func[greetIn, string]{one, two, one} {
		if _, err := f.Call(t.Context(), human("u"), greetIn{Name: "x"}); core.IsKind(err, core.TooMany) != (i == 2) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if got := New(limits, g.greet, Spec{Summary: "Greet", Guard: Member}).Info().Rate; got != (Rate{"Greet", 100, time.Second}) {
		t.Errorf("the rate of a write that declares none is %v", got)
	}
	if got := New(limits, g.greet, Spec{Summary: "Greet", Guard: Member, Hints: ReadOnly}).Info().Rate.Burst; got != 0 {
		t.Errorf("a read has the rate %v", got)
	}
}

// What a call has stored beyond three times what it counted as is taken from what its
// caller stores next, even if that takes longer than the burst lasts.
func TestStoredIsOwed(t *testing.T) {
	now := time.Unix(1e9, 0)
	limits := NewLimits(func() time.Time { return now }, true)
	f := New(limits, (&greeter{}).store, Spec{Summary: "Store", Guard: Member, Rate: Rate{Burst: 1000, Every: time.Nanosecond}, Stores: true})
	limits.countStored(human("u"), TextBurst/2, TextBurst/2*storedPerText) // which is not more
	if _, err := f.Call(t.Context(), human("u"), stored{body: TextBurst/2 - rowsSize}); err != nil {
		t.Fatal(err)
	}
	limits.countStored(human("u"), 1000, (1000+TextPerDay/4)*storedPerText)
	limits.countStored(human("u"), 1000, (1000+TextPerDay/2)*storedPerText)
	_, err := f.Call(t.Context(), human("u"), stored{Text: strings.Repeat("x", TextBurst/2)})
	if e := core.As(err); e.Code != "too_much_text" || e.RetryAfter.Round(time.Minute) != 18*time.Hour {
		t.Errorf("once more is stored than was left: %v %v", err, e.RetryAfter)
	}
	now = now.Add(core.As(err).RetryAfter)
	if _, err := f.Call(t.Context(), human("u"), stored{Text: strings.Repeat("x", TextBurst/4)}); err != nil {
		t.Errorf("when it has told to come back: %v", err)
	}
}

// A call that stores more than its text counts as what it has stored.
func TestACallCountsAsWhatItStores(t *testing.T) {
	type sized struct {
		Size int `json:"size"`
	}
	db := storetest.Open(t)
	limits := NewLimits(db.Clock.Now, true)
	counted := 0
	limits.Counted = func(bytes int) { counted += bytes }
	f := New(limits, func(ctx context.Context, _ store.Viewer, in sized) (string, error) {
		return "", db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("note", strings.Repeat("x", in.Size)) })
	}, Spec{Summary: "Store", Guard: Member, Stores: true})
	for size, most := range map[int]int{1: rowsSize, 300_000: 150_000} {
		counted = 0
		if _, err := f.Call(t.Context(), human("u"), sized{size}); err != nil {
			t.Fatal(err)
		}
		if least := max(rowsSize, size/storedPerText); counted < least || counted > most {
			t.Errorf("%d bytes count as %d, want %d to %d", size, counted, least, most)
		}
	}
}

// What is not a read counts as a third of what it stores, whether or not it has text, and
// is refused once that is more than its caller may store; what protects somebody is not.
func TestEveryWriteIsBounded(t *testing.T) {
	type sized struct {
		Size int `json:"size"`
	}
	db := storetest.Open(t)
	limits := NewLimits(db.Clock.Now, true)
	store1 := func(ctx context.Context, _ store.Viewer, in sized) (string, error) {
		return "", db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("note", strings.Repeat("x", in.Size)) })
	}
	three := Limit{Name: "three", Burst: 3, Every: time.Hour, By: ByPerson, Of: Accounts}
	spec := Spec{Summary: "Change", Guard: Member, Limits: []Limit{three}}
	end, removing := spec, spec
	end.Limits, end.Protects = nil, true
	removing.Limits, removing.Hints = nil, Destructive
	change, ends, removes := New(limits, store1, spec), New(limits, store1, end), New(limits, store1, removing)
	call := func(f *Func[sized, string], by store.Viewer, size int) error {
		_, err := f.Call(t.Context(), by, sized{size})
		return err
	}
	const over = TextPerDay / 24 / 60 // as much as there is in a minute
	if err := errors.Join(limits.useText(human("u"), TextBurst-over, false), call(change, human("u"), 0), call(change, human("u"), over*2*storedPerText)); err != nil {
		t.Fatal(err)
	}
	bot := store.Viewer{Kind: store.Agent, UserID: "b", OwnerID: "u", CanRead: true, CanWrite: true}
	var err error
	for _, by := range []store.Viewer{human("u"), bot, human("u")} { // which takes no use of three
		err = call(change, by, 1)
		if e := core.As(err); e == nil || e.Kind != core.TooMany || e.Code != "too_many_changes" || !strings.HasPrefix(e.Msg, "You have changed a lot in a short time. Try again in 6") {
			t.Fatalf("more than there is: %v", err)
		}
	}
	if err := errors.Join(call(ends, human("u"), 1), call(removes, bot, 1), call(change, human("v"), 1)); err != nil {
		t.Errorf("what protects, and somebody else: %v", err)
	}
	if err := call(ends, human("u"), over*storedPerText); err != nil {
		t.Error(err)
	}
	db.Clock.Advance(core.As(err).RetryAfter)
	if err = call(change, human("u"), 1); code(err) != "too_many_changes" {
		t.Errorf("what protects does not count: %v", err)
	}
	db.Clock.Advance(core.As(err).RetryAfter)
	if err := call(change, human("u"), 1); err != nil {
		t.Errorf("later: %v", err)
	}
	lifted := New(NewLimits(db.Clock.Now, false), store1, spec)
	lifted.info.Limits = nil
	for range 2 {
		if err := lifted.limits.useText(human("u"), TextBurst, true); err != nil {
			t.Fatal(err)
		}
		if err := call(lifted, human("u"), 1); err != nil {
			t.Errorf("without limits: %v", err)
		}
	}
}
