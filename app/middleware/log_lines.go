package middleware

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hearth/store"
)

// Requests have a line each in the log up to these bounds, so that nobody fills the disk
// with lines. Those beyond are told of by their number once in logWindow. Faults of the
// server always have a line.
const (
	logWindow = 10 * time.Second
	maxLines  = 100 // of one sort of one caller in a window

	// Of requests of one sort of all callers; see sortOf.
	sortsOfLines = 5
	linesBurst   = 1000
	linesEvery   = 100 * time.Millisecond

	maxSummaries = 10 // of callers in a window; the rest have one together
)

// lines bounds the log of requests.
type lines struct {
	log *slog.Logger

	mu      sync.Mutex
	sorts   [sortsOfLines]*rate.Limiter
	since   time.Time // when the window began
	callers map[payer]*callerLines
	rest    callerLines // of callers beyond maxPaces
	armed   bool        // the end of the window is waited for
}

// callerLines is what one caller requested in a window.
type callerLines struct {
	viewer           store.Viewer
	lines            [sortsOfLines]int
	skipped, refused int // refused of those that have no line
}

func newLines(log *slog.Logger) *lines {
	l := &lines{log: log, callers: map[payer]*callerLines{}}
	for i := range l.sorts {
		l.sorts[i] = rate.NewLimiter(rate.Every(linesEvery), linesBurst)
	}
	return l
}

// sortOf returns by what budget the line of a request counts: a flood of one sort, such as
// reads without an account, hides no other, such as changes of accounts.
func sortOf(level slog.Level, account bool, method string, status int) (i int) {
	if level > slog.LevelInfo {
		return 4
	}
	if account {
		i = 1
	}
	if method != http.MethodGet && method != http.MethodHead && status < 400 {
		i += 2
	}
	return i
}

// take reports whether a request is to have a line, and otherwise counts it.
func (l *lines) take(who payer, v store.Viewer, level slog.Level, method string, status int) bool {
	if level >= slog.LevelError {
		return true
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(now)
	c := l.callers[who]
	if c == nil {
		if c = &l.rest; len(l.callers) < maxPaces {
			c = &callerLines{viewer: v}
			l.callers[who] = c
		}
	}
	sort := sortOf(level, who.account, method, status)
	if (c == &l.rest || c.lines[sort] < maxLines) && l.sorts[sort].AllowN(now, 1) {
		c.lines[sort]++
		return true
	}
	c.skipped++
	if status >= 400 {
		c.refused++
	}
	if !l.armed {
		l.armed = true
		time.AfterFunc(l.since.Add(logWindow).Sub(now), func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.armed = false
			l.end(time.Now())
		})
	}
	return false
}

// end tells of what was not logged, if the window is over. l.mu must be held.
func (l *lines) end(now time.Time) {
	if now.Sub(l.since) < logWindow {
		return
	}
	var skipped []*callerLines
	for _, c := range l.callers {
		if c.skipped > 0 {
			skipped = append(skipped, c)
		}
	}
	slices.SortFunc(skipped, func(a, b *callerLines) int { return cmp.Compare(b.skipped, a.skipped) })
	rest := l.rest
	for i, c := range skipped {
		if i < maxSummaries {
			l.tell(c)
			continue
		}
		rest.skipped += c.skipped
		rest.refused += c.refused
	}
	if rest.skipped > 0 {
		l.log.LogAttrs(context.Background(), slog.LevelInfo, "requests of other callers without a line", slog.Int("requests", rest.skipped), slog.Int("refused", rest.refused))
	}
	l.since, l.rest = now, callerLines{}
	clear(l.callers)
}

func (l *lines) tell(c *callerLines) {
	l.log.LogAttrs(context.Background(), slog.LevelInfo, "requests of one caller without a line", slog.Int("requests", c.skipped),
		slog.Int("refused", c.refused), slog.String("kind", c.viewer.Kind.String()), slog.String("user", c.viewer.PersonID()))
}
