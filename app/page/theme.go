package page

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hearth/app/core"
)

// scheme has the light or dark colors of web/static/app.css. A test compares them.
type scheme struct {
	paper, surface, sunken, ink, inkSoft color
	dark                                 bool
}

func schemes() (light, dark scheme) {
	light = scheme{hex("#faf6ef"), hex("#fffdf9"), hex("#f2eadf"), hex("#2b211a"), hex("#66564a"), false}
	dark = scheme{hex("#17120f"), hex("#211a15"), hex("#100c0a"), hex("#f2e8dc"), hex("#b9a797"), true}
	return light, dark
}

// minContrast is WCAG 2, level AA, for text.
const minContrast = 4.5

type theme struct{ accent, strong, soft, own, onAccent color }

// themeFor returns a theme of the accent's hue with minContrast for all text. If the accent lacks contrast, a
// darker or, in the dark scheme, lighter color replaces it.
func themeFor(accent color, s scheme) (t theme) {
	c := accent.lch()
	tint, step := min(c.c, 0.055), -0.004
	softL, ownL, strongBy, l := 0.93, 0.9, -0.07, c.l
	if s.dark {
		softL, ownL, strongBy, l, step = 0.27, 0.31, 0.05, max(c.l, 0.72), 0.004
	}
	t.soft, t.own = lch{softL, tint, c.h}.color(), lch{ownL, tint, c.h}.color()
	grounds := []color{s.paper, s.surface, s.sunken, t.soft, t.own}
	for ; l > 0 && l < 1; l += step {
		if t.accent = (lch{l, c.c, c.h}).color(); t.accent.contrasts(grounds) {
			break
		}
	}
	t.strong = lch{min(max(l+strongBy, 0.1), 0.97), c.c, c.h}.color()
	t.onAccent = hex("#ffffff")
	if s.dark {
		t.onAccent = lch{0.17, min(c.c, 0.03), c.h}.color()
	}
	return t
}

func (t theme) css() string {
	return fmt.Sprintf("--accent:%s;--accent-strong:%s;--accent-soft:%s;--on-accent:%s;--own:%s;--glow:%s;",
		t.accent, t.strong, t.soft, t.onAccent, t.own, fmt.Sprintf("%s2e", t.accent))
}

var themePath = regexp.MustCompile(`^[0-9a-f]{6}\.css$`)

func (s *site) themeShow(v *visit) error {
	name := v.r.PathValue("accent")
	if !themePath.MatchString(name) {
		return core.ErrNotFound
	}
	light, dark := schemes()
	accent := hex("#" + strings.TrimSuffix(name, ".css"))
	css := fmt.Appendf(nil, ":root{%s}\n@media (prefers-color-scheme:dark){:root{%s}}\n", themeFor(accent, light).css(),
		themeFor(accent, dark).css())
	v.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	v.write(http.StatusOK, "text/css; charset=utf-8", css)
	return nil
}

type color [3]uint8

func hex(s string) (c color) {
	n, _ := strconv.ParseUint(s[1:], 16, 32)
	return color{uint8(n >> 16), uint8(n >> 8), uint8(n)}
}

func (c color) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// luminance is the relative luminance of WCAG 2.
func (c color) luminance() float64 {
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast is the contrast ratio of WCAG 2, from 1 to 21.
func (c color) contrast(with color) float64 {
	a, b := c.luminance(), with.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c color) contrasts(grounds []color) bool {
	return !slices.ContainsFunc(grounds, func(g color) bool { return c.contrast(g) < minContrast })
}

// lch is a color in OKLCH: lightness from 0 to 1, chroma, and hue in radians.
type lch struct{ l, c, h float64 }

func (c color) lch() lch {
	r, g, b := linear(c[0]), linear(c[1]), linear(c[2])
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	x, y := 1.9779984951*l-2.4285922050*m+0.4505937099*s, 0.0259040371*l+0.7827717662*m-0.8086757660*s
	return lch{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, math.Hypot(x, y), math.Atan2(y, x)}
}

func (c lch) color() color {
	for ; ; c.c = max(0, c.c-0.004) {
		if out, ok := c.try(); ok || c.c == 0 {
			return out
		}
	}
}

func (c lch) try() (out color, ok bool) {
	x, y := c.c*math.Cos(c.h), c.c*math.Sin(c.h)
	l, m, s := c.l+0.3963377774*x+0.2158037573*y, c.l-0.1055613458*x-0.0638541728*y, c.l-0.0894841775*x-1.2914855480*y
	l, m, s = l*l*l, m*m*m, s*s*s
	ok = true
	for i, v := range []float64{
		4.0767416621*l - 3.3077115913*m + 0.2309699292*s, -1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	} {
		ok = ok && v > -0.0005 && v < 1.0005
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(v * 255))
	}
	return out, ok
}
