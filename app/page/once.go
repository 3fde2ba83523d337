package page

import (
	"context"

	"hearth/app/core"
	"hearth/app/op"
)

// once returns the context of the one operation that a form calls, which is then
// carried out once however often the form is sent: a double click or a reload sends
// it again. id is what sets the form apart from others with the same fields, such as
// the grant of its preview; without one each form that is sent is another. What was
// carried out before fails with an error that repeated takes away.
func (v *visit) once(id string) context.Context {
	ctx, _ := v.repeatable(id)
	return ctx
}

// repeatable is once for an operation whose answer is kept: a form that is sent again
// fails with *op.Replayed after the answer was given to Finish.
func (v *visit) repeatable(id string) (context.Context, *op.Repeat) {
	if id == "" {
		return v.ctx(), nil
	}
	key := core.Digest("form\x00" + id + "\x00" + v.r.URL.Path + "\x00" + v.r.PostForm.Encode())
	ctx, repeat, err := op.WithIdempotencyKey(v.ctx(), "page", key)
	if err != nil {
		return v.ctx(), nil // a digest always is a key
	}
	return ctx, repeat
}

// repeated returns err unless it says that the form was carried out before: then
// the page that it led to is the answer again.
func repeated(err error) error {
	if op.Repeated(err) {
		return nil
	}
	return err
}
