package page

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/op"
)

// repeat returns what a form is recorded as, so that it is carried out once however often
// it is sent: a double click or a reload sends it again. id is what sets the form apart
// from others with the same fields, such as the grant of its preview; without one each
// form that is sent is another.
func (v *visit) repeat(id string) *op.Repeat {
	if id == "" {
		return nil
	}
	r, err := op.NewRepeat("page", core.Digest("form\x00"+id+"\x00"+v.r.URL.Path+"\x00"+v.r.PostForm.Encode()))
	if err != nil {
		return nil // a digest always is a key
	}
	return r
}

// once calls an operation for a form. The result of one that was sent before is what it
// was then, without what other people wrote.
func once[In, Out any](v *visit, repeat *op.Repeat, f *op.Func[In, Out], in In) (out Out, err error) {
	out, err = f.CallOnce(v.ctx(), v.by, repeat, in)
	var before *op.Replayed
	switch {
	case errors.As(err, &before):
		err = json.Unmarshal(before.Body, &out)
	case err == nil && repeat != nil:
		if body, e := json.Marshal(repeat.Kept(out)); e == nil {
			_ = repeat.Finish(v.ctx(), http.StatusOK, body) // without it the form sent again is refused
		}
	}
	return out, err
}
