package main

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"hearth/app/match"
)

// removed is how many principal components say how frequent a word is, not what it means.
const removed = 2

// reduce returns the vectors of a vocabulary in fewer dimensions, a word to a row. It centres them, removes the strongest
// principal components (Mu and Viswanath 2018, All-but-the-Top) and keeps the next ones.
func reduce(v *vocabulary) *mat.Dense {
	all := mat.NewDense(len(v.vectors), gloveDims, nil)
	for i, x := range v.vectors {
		for k := range x {
			all.Set(i, k, float64(x[k]))
		}
	}
	var components stat.PC
	if !components.PrincipalComponents(all, nil) {
		panic("the vectors have no principal components")
	}
	var axes, out mat.Dense
	components.VectorsTo(&axes)
	out.Mul(all, axes.Slice(0, gloveDims, removed, removed+match.Dimensions))
	for k := range match.Dimensions {
		column := mat.Col(nil, k, &out)
		centre := stat.Mean(column, nil)
		for i, x := range column {
			out.Set(i, k, x-centre)
		}
	}
	return &out
}
