package match

import "math"

// TEMPORARY: replaced by the engine.
type Side uint8

const (
	Seek Side = iota + 1
	Bring
	Goal
)

type Key struct {
	Side   Side
	Hash   uint32
	Weight uint8
}
type Type uint8

const (
	None Type = iota
	Complementary
	Reciprocal
	SharedGoal
)

type Result struct {
	Type  Type
	Score float64
}
type Intent struct {
	Kind, Terms, Goal   string
	Seeks, Brings       []string
	Mode                string
	OpenToCollaborators bool
}
type Prepared struct {
	in            Intent
	seeks, brings []Text
	goal          Text
}

const KeysVersion = 1

func PrepareIntent(in Intent) *Prepared {
	p := &Prepared{in: in, goal: Prepare(in.Goal)}
	for _, s := range in.Seeks {
		p.seeks = append(p.seeks, Prepare(s))
	}
	for _, s := range in.Brings {
		p.brings = append(p.brings, Prepare(s))
	}
	return p
}
func (p *Prepared) Keys() (out []Key) {
	add := func(side Side, ts ...Text) {
		for _, t := range ts {
			for _, x := range t.parts {
				h := uint32(2166136261)
				for _, c := range []byte(x.stem) {
					h = (h ^ uint32(c)) * 16777619
				}
				out = append(out, Key{side, h, 10})
			}
		}
	}
	add(Seek, p.seeks...)
	add(Bring, p.brings...)
	add(Goal, p.goal)
	return out
}
func best(a, b []Text) (m float64) {
	for _, x := range a {
		for _, y := range b {
			m = math.Max(m, x.Similarity(y))
		}
	}
	return m
}
func Compare(a, b *Prepared) Result {
	const bar = 0.4
	x, y := best(a.seeks, b.brings), best(a.brings, b.seeks)
	switch {
	case x >= bar && y >= bar:
		return Result{Reciprocal, math.Round(50*(x+y)) / 100}
	case (x >= bar || y >= bar) && a.in.Mode != "reciprocal" && b.in.Mode != "reciprocal":
		return Result{Complementary, math.Round(100*math.Max(x, y)) / 100}
	case a.in.Mode == "shared_goal" && b.in.Mode == "shared_goal" && a.in.OpenToCollaborators && b.in.OpenToCollaborators && a.goal.Similarity(b.goal) >= bar:
		return Result{SharedGoal, math.Round(100*a.goal.Similarity(b.goal)) / 100}
	}
	return Result{}
}
