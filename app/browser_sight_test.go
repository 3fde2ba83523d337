package app_test

import (
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// These check a page for people who enlarge it, who have it in the colours of
// their system, and who want nothing to move.

// checkZoom checks that nothing needs scrolling sideways at 200 % of the size.
func (p *tab) checkZoom() {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 640, Height: 400, DeviceScaleFactor: 2})
	for _, wide := range eval[[]string](p, tooWide) {
		p.t.Errorf("at 200 %% this is too wide: %s", wide)
	}
}

// moving lists what moves for longer than 0.01 s.
const moving = `(() => {
	const odd = [], long = times => times.split(",").some(t => parseFloat(t) * (t.trim().endsWith("ms") ? 0.001 : 1) > 0.01);
	if (getComputedStyle(document.documentElement).scrollBehavior !== "auto") odd.push("scrolling");
	for (const el of document.body.querySelectorAll("*")) for (const part of [null, "::before", "::after"]) {
		const s = getComputedStyle(el, part);
		if (long(s.transitionDuration) || s.animationName !== "none" && long(s.animationDuration))
			odd.push(el.outerHTML.slice(0, 100) + (part ?? ""));
	}
	return odd;
})()`

// checkMotion checks that nothing moves where that is not wanted, which every tab
// of the tests says.
func (p *tab) checkMotion() {
	p.t.Helper()
	for _, odd := range eval[[]string](p, moving) {
		p.t.Errorf("with reduced motion this moves: %s", odd)
	}
}

// lostInForcedColors lists what cannot be told apart when the system sets backgrounds
// and colours: the current link, pressed buttons, and badges.
const lostInForcedColors = `(() => {
	const odd = [], shown = css => [...document.querySelectorAll(css)].filter(el => el.checkVisibility());
	const style = el => {
		const s = getComputedStyle(el);
		return [s.borderTopWidth, s.borderTopStyle, s.borderTopColor, s.borderBottomColor, s.outlineStyle, s.outlineWidth,
			s.textDecorationLine, s.fontWeight, getComputedStyle(el, "::before").content].join();
	};
	const looks = el => style(el) + [...el.querySelectorAll("*")]
		.map(el => { const s = getComputedStyle(el); return s.textDecorationLine + s.outlineStyle; })
		.filter(s => s !== "nonenone").join();
	const states = [["[aria-current]", ":not([aria-current])"], ["[aria-pressed=true]", "[aria-pressed=false]"],
		["[aria-selected=true]", "[aria-selected=false]"]];
	for (const [css, others] of states) for (const el of shown(css)) {
		const other = [...el.closest("nav, ul, ol, table, main").querySelectorAll(el.localName + others)]
			.find(o => o.className === el.className && o.checkVisibility());
		if (other && looks(el) === looks(other)) odd.push(el.outerHTML.slice(0, 120));
	}
	for (const el of shown(".badge, .at")) if (parseFloat(getComputedStyle(el).borderTopWidth) < 1) odd.push(el.outerHTML.slice(0, 120));
	return odd;
})()`

// unseenFocus lists the elements whose focus cannot be seen. The focus is moved as
// by the keyboard.
const unseenFocus = `(() => {
	const odd = [];
	const opaque = el => !el || parseFloat(getComputedStyle(el).opacity) > 0.4 && opaque(el.parentElement);
	for (const el of document.querySelectorAll("a[href], button, input, select, textarea, summary, audio, video, [tabindex='0']")) {
		if (!el.checkVisibility()) continue;
		el.focus({ preventScroll: true });
		if (document.activeElement !== el) continue; // disabled, or behind a dialog
		const ring = [el, el.closest("label"), el.closest("li")].some(box => {
			if (!box || !opaque(box)) return false;
			const s = getComputedStyle(box), r = box.getBoundingClientRect();
			return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1 && r.width >= 8 && r.height >= 8;
		});
		if (!ring) odd.push(el.outerHTML.slice(0, 160));
	}
	return odd;
})()`

// forcedColors shows the page in the colours of the system.
func (p *tab) forcedColors() {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "forced-colors", Value: "active"}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	p.until(`matchMedia("(forced-colors: active)").matches`)
}

// checkForcedColors checks the page in forced colours, and keeps a picture of it.
func (p *tab) checkForcedColors(name string) {
	p.t.Helper()
	p.forcedColors()
	p.keep(name + "-forced")
	for _, odd := range eval[[]string](p, lostInForcedColors) {
		p.t.Errorf("%s: with forced colours this cannot be told apart: %s", name, odd)
	}
}

// checkFocus checks that the focus can be seen on everything that takes it.
func (p *tab) checkFocus() {
	p.t.Helper()
	p.keys(kb.Tab) // from now on the browser shows the focus
	for _, odd := range eval[[]string](p, unseenFocus) {
		p.t.Errorf("the focus cannot be seen: %s", odd)
	}
}
