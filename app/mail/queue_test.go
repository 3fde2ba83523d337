package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// stalled returns a Sender whose mail server does not answer. What it has queued can be
// taken with order.
func stalled(t *testing.T) *Sender {
	t.Helper()
	s := unanswered(t)
	for range parallel { // they take the connections
		send(t, s, Message{To: "busy@example.org", Subject: "x"})
	}
	return s
}

// unanswered returns a Sender whose mail server does not answer.
func unanswered(t *testing.T) *Sender {
	t.Helper()
	s := newSender(t, nil, Config{URL: "smtp://127.0.0.1:1", Timeout: time.Hour})
	s.server.dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.Close(ctx)
		if s.timer != nil {
			s.timer.Stop()
		}
	})
	return s
}

// order returns who the next mails are to, and leaves them queued.
func order(s *Sender) (to []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken []*pending
	for p := s.next(); p != nil; p = s.next() {
		p.tries = 1 // it ends at once
		to, taken = append(to, p.To), append(taken, p)
	}
	for _, p := range taken {
		p.queued, p.tries = true, 0
	}
	return to
}

func (s *Sender) count(in func(Message) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.mails {
		if in(p.Message) {
			n++
		}
	}
	return n
}

// However many mails to strangers wait, those to members are taken and sent before them.
func TestStrangersMailsKeepNoOthersOut(t *testing.T) {
	s := stalled(t)
	stranger := func(network, i int) Message {
		return Message{To: fmt.Sprintf("s%d@example.org", i), By: fmt.Sprint("n", network), Subject: "x", Stranger: true}
	}
	for i := range 400 {
		send(t, s, stranger(i%16, i))
	}
	if n := s.count(func(m Message) bool { return m.Stranger }); n != queueLimit {
		t.Errorf("%d mails to strangers wait, want %d", n, queueLimit)
	}
	if err := s.Ready("n0"); err != nil {
		t.Errorf("what waits for strangers decides what is taken for others: %v", err)
	}
	send(t, s, Message{To: "ada@example.org", By: "n0", Subject: "x"})
	honest := stranger(100, 1000)
	send(t, s, honest) // of the networks with most, one gives way
	to := order(s)
	if len(to) < 18 || to[0] != "ada@example.org" || !strings.Contains(strings.Join(to[:18], " "), honest.To) {
		t.Errorf("the order is %v", to)
	}
	if n := s.count(func(m Message) bool { return m.To == honest.To }); n != 1 {
		t.Error("a mail of a network with one is not taken")
	}
	if l := s.cfg.Log.Handler().(*logSink).String(); strings.Count(l, "mails are given up") != 1 {
		t.Errorf("want one line of mails that are given up: %s", l)
	}
}

// Mails to strangers are bounded by time.
func TestStrangersMailsAreBounded(t *testing.T) {
	s := stalled(t)
	for i := range 200 {
		send(t, s, Message{To: "s@example.org", By: fmt.Sprint(i), Subject: "x", Stranger: true})
	}
	if n := len(order(s)); n < strangersBurst || n > strangersBurst+1 {
		t.Errorf("%d are sent at once, want %d", n, strangersBurst)
	}
	send(t, s, Message{To: "ada@example.org", Subject: "x"})
	if to := order(s); len(to) == 0 || to[0] != "ada@example.org" {
		t.Errorf("the next are %v", to)
	}
}

// While mails to strangers are under way, a mail to a member has a connection.
func TestStrangersLeaveAConnection(t *testing.T) {
	s := unanswered(t)
	for range 2 * parallel {
		send(t, s, Message{To: "s@example.org", Subject: "x", Stranger: true})
	}
	send(t, s, Message{To: "ada@example.org", Subject: "x"})
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.mails[len(s.mails)-1]; last.queued || s.running != parallel {
		t.Errorf("the mail to a member waits: %v; %d are under way", last.queued, s.running)
	}
}

// Networks share the connections to the mail server and the places to wait.
func TestNetworksTakeTurns(t *testing.T) {
	s := stalled(t)
	ask := func(network string, i int) error {
		return s.Send(t.Context(), Message{To: fmt.Sprintf("%s%d@example.org", network, i), By: network, Subject: "x"})
	}
	for i := range queueLimit - parallel {
		if err := ask("a", i); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask("a", 1000); !errors.Is(err, ErrBusy) || s.Ready("a") != err {
		t.Errorf("the network with most gets %v", err)
	}
	for i := range 2 {
		if err := errors.Join(s.Ready("b"), ask("b", i)); err != nil {
			t.Errorf("one with fewer gets %v", err)
		}
	}
	to := order(s)
	if got, want := strings.Join(to[:5], " "), "a0@example.org b0@example.org a1@example.org b1@example.org a2@example.org"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
	if last := to[len(to)-1]; len(to) != queueLimit-parallel || last != fmt.Sprintf("a%d@example.org", queueLimit-parallel-3) {
		t.Errorf("%d mails, the last to %s: the newest of the network with most give way", len(to), last)
	}
}

// Of as many mails of each network, those that wait stay, and those to members before
// those to strangers.
func TestNewestDelayedMailGivesWay(t *testing.T) {
	s := stalled(t)
	delay := func(by string, stranger bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		p := &pending{Message: Message{To: by + "@grey", By: by, Stranger: stranger}, tries: 1, domain: "grey", give: func() {}}
		s.mails = append(s.mails, p)
		s.bound(delayedPerDomain, func(o *pending) bool { return o.domain == "grey" })
	}
	delay("ada", false)
	for i := range 90 {
		delay(fmt.Sprint(i), i%2 == 0)
	}
	has := func(by string) bool { return s.count(func(m Message) bool { return m.By == by }) == 1 }
	if !has("ada") || !has("89") || !has("0") || has("88") {
		t.Errorf("kept: first %v, a member's %v, the first stranger's %v, the last stranger's %v", has("ada"), has("89"), has("0"), has("88"))
	}
}
