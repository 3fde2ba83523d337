package match

import "testing"

// What one text excludes keeps it apart from what offers nothing else: how the thing
// changes hands, and whether it is used.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		ask, offer string
		apart      bool
	}{
		{"table tennis table to buy, not rent", "table tennis table for rent by the day", true},
		{"table tennis table to buy, not rent", "selling a table tennis table", false},
		{"table tennis table to buy", "table tennis table for rent, not for sale", true},
		{"table tennis table", "table tennis table for rent, not for sale", false},
		{"bike to borrow, can't buy one", "I'm selling a bike", true},
		{"bike to borrow, no rush, I could buy one too", "I'm selling a bike", false},
		{"bike to borrow", "I'm selling a bike", false}, // said, but not excluded
		{"bike helmet, must be new, no second hand", "used bike helmet", true},
		{"bike helmet, no second hand", "bike helmet, I used to ride a lot", false},
		{"table de ping-pong à acheter, pas de location", "table de ping-pong à louer, je ne la vends pas", true},
		{"Akkordeon zu kaufen gesucht, nicht leihweise", "verleihe mein Akkordeon", true},
		{"нужен аккордеон напрокат, покупать не буду", "продаю аккордеон", true},
		{"нужен аккордеон напрокат", "продаю аккордеон, напрокат не даю", true},
		{"compro fogão, não tenho nada para trocar", "troco fogão por geladeira", true},
		{"kiralık bisiklet arıyorum", "bisiklet satılık", false},
	} {
		a, b := readSide(false, c.ask, maxUnits), readSide(true, c.offer, maxUnits)
		if f, g := compare(&a, &b), compare(&b, &a); f.ways != c.apart || g.ways != c.apart {
			t.Errorf("%q and %q: %v and %v; ways %b without %b, and %b without %b", c.ask, c.offer, f.ways, g.ways, a.ways, a.excluded, b.ways,
				b.excluded)
		}
	}
}

// Sizes of shoes and clothes keep texts apart if they are more than one size apart.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		apart bool
	}{
		{"football boots size 34", "football boots size 43", true},
		{"football boots size 42", "football boots, size 41", false},
		{"football boots size 42", "football boots size 42/43", false},
		{"football boots size 38 to 39", "football boots size 40 - 41", false},
		{"football boots size 36 - 37", "football boots size 40 - 41", true},
		{"football boots size 34", "football boots, 43", false}, // no word says that it is a size
		{"Wanderschuhe Größe 41", "Wanderschuhe Gr. 46", true},
		{"winter coat size M", "winter coat size L", false},
		{"winter coat size S", "winter coat size L", true},
		{"winter coat size S", "winter coat size 38", false}, // of two systems
		{"winter coat size 92", "winter coat size 98", false},
		{"winter coat size 92", "winter coat size 104", true},
		{"nappies size 4", "nappies size 3", false},
		{"nappies size 4", "nappies size 2", true},
	} {
		x, y := readSide(false, c.a, maxUnits), readSide(true, c.b, maxUnits)
		if f, g := compare(&x, &y), compare(&y, &x); f.fit != c.apart || g.fit != c.apart {
			t.Errorf("%q and %q: %v and %v; sizes %v and %v", c.a, c.b, f.fit, g.fit, x.fit, y.fit)
		}
	}
}
