//go:build linux

package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store/storetest"
)

// A power cut loses what was not synced. The writes of a store under load are
// traced and replayed up to a random moment: what was synced before it, and of
// the rest nothing, all, a prefix, or any part, torn at disk sectors. No row that
// was acknowledged before it may be missing, and no write may be partial. Without
// the syncs the same replay must find losses, or it proves nothing.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	needStrace(t)
	t.Run("FULL", func(t *testing.T) {
		t.Parallel()
		lost, wrong := powerCuts(t, "FULL", storetest.Rounds(30, 1000))
		if lost > 0 || wrong > 0 {
			t.Errorf("after %d cuts acknowledged rows were missing, after %d the file was wrong", lost, wrong)
		}
	})
	t.Run("NORMAL", func(t *testing.T) {
		t.Parallel()
		lost, wrong := powerCuts(t, "NORMAL", storetest.Rounds(12, 250))
		if wrong > 0 {
			t.Errorf("after %d cuts the file was wrong", wrong)
		}
		if lost == 0 {
			t.Error("no acknowledged row was lost although nothing was synced: the replay cannot see a loss")
		}
	})
}

func powerCuts(t *testing.T, synchronous string, cuts int) (lost, wrong int) {
	dir := t.TempDir()
	ops := runTraced(t, child(t, "load", filepath.Join(dir, "hearth.db"), synchronous, "3", "6", "120"), dir)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	disk := newDisk()
	var seen acks
	for _, cut := range cutPoints(rng, ops, cuts) {
		for ; disk.done < cut; disk.done++ {
			op := ops[disk.done]
			disk.apply(op)
			if op.kind == 'a' && !seen.parse(op.line) {
				t.Fatalf("not an acknowledgement: %q", op.line)
			}
		}
		mode := rng.IntN(survivalModes)
		to := filepath.Join(t.TempDir(), "hearth.db")
		if err := disk.survive(rng, mode, filepath.Dir(to)); err != nil {
			t.Fatal(err)
		}
		missing, bad := checkLoad(t, to, seen.last)
		if missing > 0 {
			lost++
		}
		if len(bad) > 0 {
			wrong++
			t.Logf("cut at operation %d of %d, mode %d, seed %d: %s", cut, len(ops), mode, seed, strings.Join(bad, "; "))
		}
		os.RemoveAll(filepath.Dir(to))
	}
	t.Logf("%s: %d operations, %d cuts: acknowledged rows lost in %d, file wrong in %d", synchronous, len(ops), cuts, lost, wrong)
	return lost, wrong
}

// cutPoints returns n moments in order: some while the file is created, some
// right after acknowledgements, the rest anywhere.
func cutPoints(rng *rand.Rand, ops []diskOp, n int) []int {
	var acked []int
	for i, op := range ops {
		if op.kind == 'a' {
			acked = append(acked, i+1)
		}
	}
	cuts := make([]int, n)
	for i := range cuts {
		switch i % 5 {
		case 0:
			cuts[i] = rng.IntN(acked[0] + 1)
		case 1, 2:
			cuts[i] = acked[rng.IntN(len(acked))]
		default:
			cuts[i] = rng.IntN(len(ops) + 1)
		}
	}
	slices.Sort(cuts)
	return cuts
}

// disk is the content of a disk: what was synced, and what was written since.
type disk struct {
	done    int // operations applied
	files   map[int]*diskFile
	names   map[string]int
	renamed []numberedOp // changes of names that are not synced
}

type diskFile struct {
	synced  []byte
	pending []numberedOp
}

type numberedOp struct {
	diskOp
	n int
}

func newDisk() *disk { return &disk{files: map[int]*diskFile{}, names: map[string]int{}} }

func (d *disk) apply(op diskOp) {
	switch op.kind {
	case 'c':
		d.files[op.ino] = &diskFile{}
		d.renamed = append(d.renamed, numberedOp{op, d.done})
	case 'u', 'r':
		d.renamed = append(d.renamed, numberedOp{op, d.done})
	case 'd':
		for len(d.renamed) > 0 && d.renamed[0].n < op.covers {
			rename(d.names, d.renamed[0].diskOp)
			d.renamed = d.renamed[1:]
		}
	case 'w', 't':
		f := d.files[op.ino]
		f.pending = append(f.pending, numberedOp{op, d.done})
	case 's':
		f := d.files[op.ino]
		for len(f.pending) > 0 && f.pending[0].n < op.covers {
			f.synced = change(f.synced, f.pending[0].diskOp)
			f.pending = f.pending[1:]
		}
	}
}

func rename(names map[string]int, op diskOp) {
	switch op.kind {
	case 'c':
		names[op.name] = op.ino
	case 'r':
		names[op.to] = names[op.name]
		delete(names, op.name)
	case 'u':
		delete(names, op.name)
	}
}

func change(b []byte, op diskOp) []byte {
	end := op.off + int64(len(op.data))
	if grow := int(end) - len(b); grow > 0 {
		b = append(b, make([]byte, grow)...)
	}
	if op.kind == 't' {
		return b[:op.off]
	}
	copy(b[op.off:end], op.data)
	return b
}

const survivalModes = 5

// survive writes to dir what the disk may hold after the power cut: all that was
// synced, and of the rest, by mode, nothing, everything, a prefix, any of the
// writes, or any of their sectors.
func (d *disk) survive(rng *rand.Rand, mode int, dir string) error {
	names := map[string]int{}
	for name, ino := range d.names {
		names[name] = ino
	}
	applied := rng.IntN(len(d.renamed) + 1) // journals of file systems keep changes of names in order
	if mode == 0 {
		applied = 0
	} else if mode == 1 {
		applied = len(d.renamed)
	}
	for _, op := range d.renamed[:applied] {
		rename(names, op.diskOp)
	}
	for name, ino := range names {
		f := d.files[ino]
		b := slices.Clone(f.synced)
		for _, op := range surviving(rng, mode, f.pending) {
			b = change(b, op)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return nil
}

func surviving(rng *rand.Rand, mode int, pending []numberedOp) (ops []diskOp) {
	if mode == 0 {
		return nil
	}
	until := len(pending)
	if mode == 2 {
		until = rng.IntN(len(pending) + 1)
	}
	for i, op := range pending[:until] {
		torn := mode == 4 || mode == 2 && i == until-1
		switch {
		case torn && op.kind == 'w':
			ops = append(ops, tear(rng, op.diskOp)...)
		case mode <= 2 || rng.IntN(2) == 0:
			ops = append(ops, op.diskOp)
		}
	}
	return ops
}

// tear splits a write at sectors of 512 or 4096 bytes, and loses some.
func tear(rng *rand.Rand, op diskOp) (ops []diskOp) {
	sector := int64(512)
	if rng.IntN(3) == 0 {
		sector = 4096
	}
	for off, data := op.off, op.data; len(data) > 0; {
		n := min(int64(len(data)), sector-off%sector)
		if rng.IntN(2) == 0 {
			ops = append(ops, diskOp{kind: 'w', ino: op.ino, off: off, data: data[:n]})
		}
		off, data = off+n, data[n:]
	}
	return ops
}
