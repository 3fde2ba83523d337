package page

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/op"
)

// repeat returns the record of a form, so that a double click or a reload runs it once. id distinguishes
// forms with equal fields. Without an id each form counts.
func (v *visit) repeat(id string) *op.Repeat {
	if id == "" {
		return nil
	}
	r, err := op.NewRepeat("page", core.Digest("form\x00"+id+"\x00"+v.r.URL.Path+"\x00"+v.r.PostForm.Encode()))
	if err != nil {
		return nil // a digest is always a valid key
	}
	return r
}

// once calls an operation for a form. A repeated form gets the first result, without what other people wrote.
func once[In, Out any](v *visit, repeat *op.Repeat, f *op.Func[In, Out], in In) (out Out, err error) {
	got, err := f.Invoke(v.ctx(), v.by, repeat, func(to any) error {
		*to.(*In) = in
		return nil
	})
	if p, ok := got.(*Out); ok {
		out = *p
	}
	var before *op.Replayed
	switch {
	case errors.As(err, &before):
		err = json.Unmarshal(before.Body, &out)
	case err == nil && repeat != nil:
		if body, e := json.Marshal(repeat.Kept(out)); e == nil {
			_ = repeat.Finish(v.ctx(), http.StatusOK, body) // without this a repeated form is refused
		}
	}
	return out, err
}
