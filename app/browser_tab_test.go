package app_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"hearth/store/storetest"
)

// patience is how long a test waits for a page to change.
const patience = 30 * time.Second

// startBrowser starts the one browser of a test; it ends with the test.
// Without one installed the test is skipped, except in CI.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	if os.Getenv("HEARTH_CI") == "" && os.Getenv("HEARTH_BROWSER") == "" {
		t.Skip("the pages are tested in Chromium with HEARTH_BROWSER=1, which takes some minutes: go test -timeout 20m ./app")
	}
	var path string
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		storetest.Without(t, "there is no Chromium here (chromium-headless-shell, chromium, chromium-browser or google-chrome), so the pages "+
			"cannot be tested")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		// Without a mouse the page expects a touch screen, where Enter does not send.
		chromedp.Flag("blink-settings", "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// tab is a page in a person's browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu         sync.Mutex
	complaints []string         // of the browser, about the page
	expected   []*regexp.Regexp // complaints that belong to the test
}

// newTab opens a tab in a browser profile of its own, which is not signed in.
func newTab(t *testing.T, browser context.Context, base string) *tab {
	t.Helper()
	return openTab(t, browser, base, chromedp.WithNewBrowserContext())
}

// another opens a second tab of the same person.
func (p *tab) another() *tab {
	p.t.Helper()
	return openTab(p.t, p.ctx, p.base)
}

func openTab(t *testing.T, parent context.Context, base string, opts ...chromedp.ContextOption) *tab {
	t.Helper()
	p := &tab{t: t, base: base}
	var cancel context.CancelFunc
	p.ctx, cancel = chromedp.NewContext(parent, opts...)
	t.Cleanup(func() {
		cancel()
		p.checkComplaints()
	})
	if err := chromedp.Do(p.ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(p.ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	call(p, log.Enable, cdp.Empty{})
	call(p, audits.Enable, cdp.Empty{})
	// Tabs of several people are used in turn; each page must act as if it were
	// the one in front.
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	p.size(1280, 800)
	p.scheme("light")
	return p
}

// hear records what the browser complains about.
func (p *tab) hear(ev any) {
	var words string
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		words = "exception: " + ev.ExceptionDetails.Text
		if ev.ExceptionDetails.Exception != nil {
			words += " " + ev.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type != runtime.ConsoleAPICalledTypeError && ev.Type != runtime.ConsoleAPICalledTypeWarning &&
			ev.Type != runtime.ConsoleAPICalledTypeAssert {
			return
		}
		words = "console:"
		for _, arg := range ev.Args {
			words += " " + string(arg.Value) + arg.Description
		}
	case *log.EventEntryAdded:
		if ev.Entry.Level != log.EntryLevelError && ev.Entry.Level != log.EntryLevelWarning {
			return
		}
		words = fmt.Sprintf("%s: %s %s", ev.Entry.Source, ev.Entry.Text, ev.Entry.URL)
	case *audits.EventIssueAdded:
		words = "issue: " + string(ev.Issue.Code)
		if d := ev.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
			words += " " + d.ViolatedDirective + " " + d.BlockedURL
		}
		if d := ev.Issue.Details.QuirksModeIssueDetails; d != nil {
			if strings.HasPrefix(d.URL, "chrome-error:") {
				return // its own page, which says that the server cannot be reached
			}
			words += " " + d.URL
		}
		if d := ev.Issue.Details.GenericIssueDetails; d != nil {
			words += " " + string(d.ErrorType) + " " + d.ViolatingNodeAttribute
		}
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = append(p.complaints, words)
}

// expect allows complaints that match a pattern.
func (p *tab) expect(pattern string) { p.expected = append(p.expected, regexp.MustCompile(pattern)) }

func (p *tab) checkComplaints() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.complaints {
		if !slices.ContainsFunc(p.expected, func(e *regexp.Regexp) bool { return e.MatchString(c) }) {
			p.t.Errorf("the browser complains: %s", c)
		}
	}
	p.complaints = nil
}

// call sends a command of the browser's protocol.
func call[P, R any](p *tab, cmd cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, cmd, params)
	if err != nil {
		p.t.Fatalf("%s: %v", cmd.Method, err)
	}
	return r
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%v\n%s", err, p.state())
	}
}

// try evaluates an expression of JavaScript, whose value may be a promise.
func try[T any](p *tab, js string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
}

// eval is try, and fails the test on an error.
func eval[T any](p *tab, js string) T {
	p.t.Helper()
	v, err := try[T](p, js)
	if err != nil {
		p.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// until waits until a condition of JavaScript holds. It evaluates from
// outside, so that it works across pages and without scripts in them.
func (p *tab) until(js string) {
	p.t.Helper()
	end := time.Now().Add(patience)
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		ok, err := try[bool](p, js)
		if ok {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("timed out waiting for %s (%v)\n%s", js, err, p.state())
		}
	}
}

// state describes the page, for failures.
func (p *tab) state() string {
	text, _ := try[string](p, `[location.href, document.title, document.readyState + (window.hearthLeft ? ", not left" : ""),
		"focus: " + document.activeElement?.cloneNode().outerHTML, document.body.innerText].join("\n")`)
	p.mu.Lock()
	defer p.mu.Unlock()
	return text + "\n" + strings.Join(p.complaints, "\n")
}

// open goes to a page and waits until it is loaded.
func (p *tab) open(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.base + path))
}

// follow calls act and waits for the page it leads to.
func (p *tab) follow(act func()) {
	p.t.Helper()
	eval[bool](p, `window.hearthLeft = true`)
	act()
	p.until(`!window.hearthLeft && document.readyState === "complete"`)
}

// at checks the path and the query the tab is at; pattern is anchored.
func (p *tab) at(pattern string) {
	p.t.Helper()
	if got := eval[string](p, `location.pathname + location.search`); !regexp.MustCompile("^(?:" + pattern + ")$").MatchString(got) {
		p.t.Fatalf("at %s, want %s\n%s", got, pattern, p.state())
	}
}

// shows waits until the page has the words.
func (p *tab) shows(words ...string) {
	p.t.Helper()
	for _, w := range words {
		p.until(fmt.Sprintf(`document.body.innerText.includes(%q)`, w))
	}
}

// click clicks with the mouse on the middle of the first visible element that
// a selector finds, once it no longer moves. It must not be covered.
func (p *tab) click(css string) {
	p.t.Helper()
	p.clickOn(fmt.Sprintf(`document.querySelectorAll(%q)`, css))
}

// press clicks on the link, button, box or summary with a label, in the main
// part of the page if it exists.
func (p *tab) press(label string) {
	p.t.Helper()
	p.clickOn(fmt.Sprintf(`["main :is(a, button, summary, label)", "a, button"].flatMap(css => [...document.querySelectorAll(css)]).filter(
		el => (el.getAttribute("aria-label") ?? el.textContent).trim().replace(/\s+/g, " ") === %q)`, label))
}

func (p *tab) clickOn(elements string) {
	p.t.Helper()
	js := fmt.Sprintf(`(() => {
		const el = [...%s].find(el => el.checkVisibility());
		if (!el) return "it is not there";
		if (getComputedStyle(document.querySelector("main") ?? el).pointerEvents === "none") return "what has moved cannot be pressed yet";
		el.scrollIntoView({ block: "center", behavior: "instant" });
		const message = el.closest(".msg");
		if (message && getComputedStyle(el).pointerEvents === "none") { // it shows when the message is pointed at
			const b = message.querySelector(".bubble").getBoundingClientRect();
			return "over " + (b.x + 4) + " " + (b.y + b.height / 2);
		}
		const r = el.getClientRects()[0], x = r.x + r.width / 2, y = r.y + r.height / 2;
		const top = document.elementFromPoint(x, y);
		window.hearthMissed = false;
		addEventListener("pointerdown", e => { window.hearthMissed = e.target !== top; }, { capture: true, once: true });
		return el.contains(top) || top?.contains(el) ? x + " " + y : "it is covered by " + top?.outerHTML.slice(0, 100);
	})()`, elements)
	end, last := time.Now().Add(patience), ""
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		at, err := try[string](p, js)
		var x, y float64
		if n, _ := fmt.Sscanf(at, "over %f %f", &x, &y); err == nil && n == 2 {
			p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
			continue
		}
		if n, _ := fmt.Sscan(at, &x, &y); err == nil && n == 2 && at == last {
			p.do(chromedp.MouseClickXY(x, y))
			if missed, err := try[bool](p, `window.hearthMissed === true`); err != nil || !missed {
				return
			}
			at = "" // the page changed meanwhile: press again, as a person would
		}
		last = at
		if time.Now().After(end) {
			p.t.Fatalf("click on %s: %s %v\n%s", elements, at, err, p.state())
		}
	}
}

// fill puts text into a field, in place of what it had.
func (p *tab) fill(css, text string) {
	p.t.Helper()
	p.click(css)
	eval[bool](p, `document.activeElement.select() || true`)
	if text == "" {
		p.keys("\b")
		return
	}
	call(p, input.InsertText, input.InsertTextParams{Text: text})
}

// keys presses keys, one after the other.
func (p *tab) keys(keys string, opts ...chromedp.KeyOption) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, opts...))
}

// size sets the size of the window, in CSS pixels.
func (p *tab) size(width, height int64) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
}

// scheme sets "light" or "dark". Motion is reduced, so that elements stay where
// they are clicked.
func (p *tab) scheme(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// way is how a person uses the pages.
type way struct {
	width   int64
	scripts bool
}

// inWays runs a test on a phone and in a wide window, and on a phone without scripts.
func inWays(t *testing.T, test func(*testing.T, way)) {
	for _, w := range []way{{360, true}, {1280, true}, {360, false}} {
		t.Run(fmt.Sprint(w.width, " scripts ", w.scripts), func(t *testing.T) { test(t, w) })
	}
}

// use has the tab be used in a way from now on.
func (p *tab) use(w way) {
	p.t.Helper()
	p.size(w.width, 780)
	if !w.scripts {
		p.noScripts()
	}
}

// newTab opens a tab that is used in this way.
func (w way) newTab(t *testing.T, browser context.Context, s *browserServer) *tab {
	t.Helper()
	p := newTab(t, browser, s.base())
	p.use(w)
	return p
}

// signedIn opens a tab of a person of the cast, in a window of a width.
func signedIn(t *testing.T, browser context.Context, s *browserServer, who string, width int64) *tab {
	t.Helper()
	p := newTab(t, browser, s.base())
	p.signIn(s, who+"@example.org")
	p.size(width, 800)
	return p
}

// settled waits until the page has done what it put off for a moment: timers run in
// the order of their times.
func (p *tab) settled() {
	p.t.Helper()
	eval[bool](p, `new Promise(done => setTimeout(() => done(true), 600))`)
}

// claim asks to be the administrator of a new server, with an address if it sends mail.
func (p *tab) claim(s *browserServer, name, email string) {
	p.t.Helper()
	link, err := s.app.ClaimURL(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	p.open(strings.TrimPrefix(link, s.base()))
	p.fill("#name", name)
	if email != "" {
		p.fill("#email", email)
	}
	p.send("Create admin account")
}

// signIn signs in with a link from the operator of the server.
func (p *tab) signIn(s *browserServer, email string) {
	p.t.Helper()
	link, err := s.app.SignInURL(p.ctx, email)
	if err != nil {
		p.t.Fatal(err)
	}
	p.open(strings.TrimPrefix(link, s.base()))
	p.follow(func() { p.press("Sign in") })
	p.shows("You are signed in.")
}
