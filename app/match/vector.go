package match

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
)

// Bounds of a vector's numbers.
const (
	MinDimensions = 8
	MaxDimensions = 4096
)

// The sides of an exchange, and goals, in the order of their texts and vectors.
const (
	Seek = iota
	Bring
	Goal
)

// maxSideText is how many characters of a side of an intent have a vector.
const maxSideText = 2000

// SideTexts returns what vectors are computed of: what an intent seeks, what it brings, and its goal if it takes part
// in shared goals, each "" if there is none. These are the texts that PrepareIntent reads: at most 20 for a side, 500
// characters of each, one below the other, and 2,000 characters together.
func (in Intent) SideTexts() (out [3]string) {
	seeks, brings := in.sides()
	out[Seek], out[Bring] = sideText(seeks), sideText(brings)
	if in.sharesGoal() {
		out[Goal] = sideText([]string{in.Goal})
	}
	return out
}

func sideText(texts []string) string {
	var lines []string
	for _, text := range texts[:min(len(texts), maxTexts)] {
		if text = strings.TrimSpace(firstRunes(strings.ToValidUTF8(text, "\ufffd"), maxText)); text != "" {
			lines = append(lines, text)
		}
	}
	return firstRunes(strings.Join(lines, "\n"), maxSideText)
}

// Vector is a vector of a text from a language model, as signed bytes: the number with the largest amount is 127 or
// -127, because only directions are compared. It has an error of less than 0.01 in cosines of more than 100 dimensions.
type Vector []byte

// Quantise returns the Vector of numbers. It returns an error if there are fewer than MinDimensions or more than
// MaxDimensions, if one is not finite, or if all of them are 0.
func Quantise(numbers []float64) (Vector, error) {
	if len(numbers) < MinDimensions || len(numbers) > MaxDimensions {
		return nil, errors.New("a vector must have 8 to 4096 numbers")
	}
	most := 0.0
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, errors.New("a vector has a number that is not finite")
		}
		most = max(most, math.Abs(x))
	}
	if most == 0 {
		return nil, errors.New("a vector has only zeros")
	}
	v := make(Vector, len(numbers))
	for i, x := range numbers {
		v[i] = byte(int8(math.Round(x / most * 127)))
	}
	return v, nil
}

// Cosine returns the cosine of the angle between two vectors, and 0 for vectors of different lengths and without one.
func (v Vector) Cosine(o Vector) float64 {
	if len(v) != len(o) || len(v) == 0 {
		return 0
	}
	var xy, xx, yy int32 // 4,096 times 127 times 127 is less than 2^31
	for i, b := range o {
		x, y := int32(int8(v[i])), int32(int8(b))
		xy += x * y
		xx += x * x
		yy += y * y
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return float64(xy) / math.Sqrt(float64(xx)*float64(yy))
}

// Vectors has the vectors of an intent, of what it seeks, what it brings and its goal. A side without a text has none.
type Vectors [3]Vector

// Encode returns the vectors, to be stored. All of them have the same length.
func (v Vectors) Encode() []byte {
	dimensions, sides := 0, byte(0)
	for side := range v {
		if len(v[side]) > 0 {
			dimensions = len(v[side])
			sides |= 1 << side
		}
	}
	out := append(binary.LittleEndian.AppendUint16(nil, uint16(dimensions)), sides)
	for side := range v {
		out = append(out, v[side]...)
	}
	return out
}

// DecodeVectors returns what Encode encoded, which shares the memory of data. It reports false for anything else.
func DecodeVectors(data []byte) (v Vectors, ok bool) {
	if len(data) < 3 {
		return v, false
	}
	dimensions, sides, rest := int(binary.LittleEndian.Uint16(data)), data[2], data[3:]
	for side := range v {
		if sides>>side&1 == 0 {
			continue
		}
		if dimensions == 0 || len(rest) < dimensions {
			return Vectors{}, false
		}
		v[side], rest = rest[:dimensions:dimensions], rest[dimensions:]
	}
	return v, len(rest) == 0 && sides < 1<<len(v)
}
