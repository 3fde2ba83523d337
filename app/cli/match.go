package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"hearth/app/match"
)

// Match is "hearth match", which measures the matching of asks and offers.
func Match(env Env) *Command {
	return group("match", "measure the matching of asks and offers", "Works on files; it needs no database.",
		"hearth match eval testdata/matching/develop",
		&Command{
			name: "eval", usage: "measure matching on a labelled set", args: "[FOLDER]", names: []string{"[FOLDER]"},
			about: "Reads intents.jsonl and pairs.jsonl in FOLDER, or in the folders develop and heldout of\n" +
				"FOLDER, which is testdata/matching if it is left out. Publishes the intents one after\n" +
				"another, as people do, and prints, over all and by kind of difficulty, the share of\n" +
				"intents whose best match is a true one (precision@1), the mean share of the true ones\n" +
				"among the best five (recall@5), and the share of hard negatives that match.",
			examples: []string{"hearth match eval", "hearth match eval testdata/matching/develop"}, do: env.evaluate,
		})
}

func (e Env) evaluate(_ *call, args []string) error {
	folder := cmp.Or(strings.Join(args, ""), filepath.Join("testdata", "matching"))
	folders := []string{folder}
	if _, err := os.Stat(filepath.Join(folder, "intents.jsonl")); err != nil {
		folders = []string{filepath.Join(folder, "develop"), filepath.Join(folder, "heldout")}
	}
	for i, f := range folders {
		set, err := match.ReadLabelled(os.DirFS(f))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no labelled set in %s: name a FOLDER with intents.jsonl and pairs.jsonl", folder)
		}
		if err != nil {
			return fmt.Errorf("read the labelled set: %w", err)
		}
		if i > 0 {
			e.print("")
		}
		if err := e.printEvaluation(f, set.Evaluate()); err != nil {
			return err
		}
	}
	return nil
}

func (e Env) printEvaluation(name string, m match.Evaluation) error {
	e.print("%s: %d intents, %d queries, %d hard negatives", name, m.Intents, m.All.Queries, m.All.Pairs)
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kind\tqueries\tprecision@1\trecall@5\tnegatives\tfalse matches\t")
	for _, kind := range slices.Sorted(maps.Keys(m.Kinds)) {
		printFigures(w, kind, m.Kinds[kind])
	}
	printFigures(w, "all", &m.All)
	return w.Flush()
}

func printFigures(w *tabwriter.Writer, kind string, f *match.Figures) {
	query, negative := "\t-\t-\t-", "\t-\t-\t"
	if f.Queries > 0 {
		query = fmt.Sprintf("\t%d\t%.2f\t%.2f", f.Queries, f.PrecisionAt1, f.RecallAt5)
	}
	if f.Pairs > 0 {
		negative = fmt.Sprintf("\t%d\t%.1f %%\t", f.Pairs, 100*f.False)
	}
	fmt.Fprintln(w, kind+query+negative)
}
