package main

import (
	"math"
	"slices"

	"hearth/app/match"
)

const (
	dims    = match.Dimensions
	removed = 2 // principal components that say how frequent a word is, not what it means
)

// space is the vectors of a vocabulary after reduction, of length 1.
type space struct {
	vectors [][]float32
	kept    float64 // share of the variance
}

// reduce centres the vectors, removes the strongest principal components (Mu and
// Viswanath 2018, All-but-the-Top) and keeps the next ones.
func reduce(v *vocabulary) space {
	n, d := len(v.vectors), gloveDims
	centre := make([]float64, d)
	for _, x := range v.vectors {
		for i := range x {
			centre[i] += float64(x[i]) / float64(n)
		}
	}
	cov := make([][]float64, d)
	for i := range cov {
		cov[i] = make([]float64, d)
	}
	row := make([]float64, d)
	for _, x := range v.vectors {
		for i := range x {
			row[i] = float64(x[i]) - centre[i]
		}
		for i := range d {
			for j := i; j < d; j++ {
				cov[i][j] += row[i] * row[j] / float64(n)
			}
		}
	}
	for i := range d {
		for j := range i {
			cov[i][j] = cov[j][i]
		}
	}
	values, axes := eigen(cov)
	total, kept := 0.0, 0.0
	for i, e := range values {
		if i >= removed {
			total += e
			if i < removed+dims {
				kept += e
			}
		}
	}
	s := space{kept: kept / total}
	for _, x := range v.vectors {
		y := make([]float32, dims)
		for k := range dims {
			sum := 0.0
			for i := range d {
				sum += axes[removed+k][i] * (float64(x[i]) - centre[i])
			}
			y[k] = float32(sum)
		}
		normalise(y)
		s.vectors = append(s.vectors, y)
	}
	return s
}

func normalise(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum > 0 {
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
	}
}

// eigen returns the eigenvalues, the largest first, and eigenvectors of a
// symmetric matrix by Jacobi's rotations. It changes the matrix.
func eigen(m [][]float64) ([]float64, [][]float64) {
	n := len(m)
	axes := make([][]float64, n)
	for i := range axes {
		axes[i] = make([]float64, n)
		axes[i][i] = 1
	}
	for range 30 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(m, axes, p, q)
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if m[a][a] > m[b][b] {
			return -1
		}
		return 1
	})
	values, vectors := make([]float64, n), make([][]float64, n)
	for i, o := range order {
		values[i], vectors[i] = m[o][o], axes[o]
	}
	return values, vectors
}

func rotate(m, axes [][]float64, p, q int) {
	if math.Abs(m[p][q]) < 1e-12 {
		return
	}
	theta := (m[q][q] - m[p][p]) / (2 * m[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range m {
		m[k][p], m[k][q] = c*m[k][p]-s*m[k][q], s*m[k][p]+c*m[k][q]
	}
	for k := range m {
		m[p][k], m[q][k] = c*m[p][k]-s*m[q][k], s*m[p][k]+c*m[q][k]
		axes[p][k], axes[q][k] = c*axes[p][k]-s*axes[q][k], s*axes[p][k]+c*axes[q][k]
	}
}
