package embed

import (
	"context"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json"

	"hearth/app/match"
	"hearth/store"
)

const (
	measureSetting = "embed_measure"
	measureVersion = 1 // changes when match.ReferenceTexts or match.NewScale do
)

// measure describes a model by its vectors of match.ReferenceTexts.
type measure struct {
	Version     int     `json:"version"`
	Model       string  `json:"model"`
	Dimensions  int     `json:"dimensions"`
	Floor, Full float64 // of its match.Scale
}

// Vectors with different ids are never compared. Vectors with another id than the current one are computed again.
func (m *measure) id() string { return m.Model + " " + strconv.Itoa(m.Dimensions) }

func (m *measure) scale() match.Scale { return match.Scale{Floor: m.Floor, Full: m.Full} }

var errUseless = errors.New("the vectors of the model of --embed-model do not tell texts about one thing from texts about different things")

func (w *Worker) measureModel(ctx context.Context) error {
	if w.measure != nil {
		return nil
	}
	if !w.changed {
		if m, err := w.storedMeasure(ctx); err != nil || m != nil {
			w.measure = m
			return err
		}
	}
	reference, err := w.client.vectors(ctx, match.ReferenceTexts())
	if err != nil {
		return err
	}
	scale, ok := match.NewScale(reference)
	if !ok {
		return errUseless
	}
	m := &measure{Version: measureVersion, Model: w.c.Model, Dimensions: len(reference[0]), Floor: scale.Floor, Full: scale.Full}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := w.c.DB.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(measureSetting, string(text)) }); err != nil {
		return err
	}
	w.measure, w.changed, w.since = m, false, store.ListedIntent{}
	w.worked()
	return nil
}

func (w *Worker) storedMeasure(ctx context.Context) (*measure, error) {
	var text string
	err := w.c.DB.Read(ctx, func(r *store.Reader) (err error) {
		text, err = r.Setting(measureSetting)
		return err
	})
	if err != nil || text == "" {
		return nil, err
	}
	m := &measure{}
	if json.Unmarshal([]byte(text), m) != nil || m.Version != measureVersion || m.Model != w.c.Model || m.Dimensions == 0 {
		return nil, nil // of another version of the program
	}
	return m, nil
}
