package engine

import (
	"fmt"
	"time"
)

// Time is a moment in microseconds since 1970-01-01 UTC, the form every
// timestamp has in the database. The zero Time means "never".
//
// Its text form is RFC 3339 in UTC with six fractional digits
// (2026-11-20T09:40:08.000123Z), so that text order is time order.
type Time int64

// TimeOf returns t, truncated to a microsecond.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// ParseTime parses an RFC 3339 time with any offset, in the years 1970 to 9999.
func ParseTime(s string) (Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return 0, fmt.Errorf("%q is not an RFC 3339 time such as 2026-11-20T09:40:08Z", s)
	}
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 9999 {
		return 0, fmt.Errorf("%q is outside the years 1970 to 9999", s)
	}
	return TimeOf(t), nil
}

// Go returns t as a time.Time in UTC.
func (t Time) Go() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add returns t moved by d.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Microseconds()) }

// Sub returns the duration t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Microsecond }

// Ptr returns a pointer to t, and nil for the zero Time: the form of a nullable
// date-time.
func (t Time) Ptr() *Time {
	if t == 0 {
		return nil
	}
	v := t // only a time that is not 0 is moved to the heap
	return &v
}

// String returns t's text form.
func (t Time) String() string {
	b, _ := t.AppendText(nil)
	return string(b)
}

// AppendText implements encoding.TextAppender.
func (t Time) AppendText(b []byte) ([]byte, error) {
	at := t.Go()
	b = at.AppendFormat(b, time.RFC3339) // much faster than any layout with a fraction
	return at.AppendFormat(b[:len(b)-1], ".000000Z"), nil
}

// MarshalText implements encoding.TextMarshaler.
func (t Time) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// UnmarshalText implements encoding.TextUnmarshaler with ParseTime.
func (t *Time) UnmarshalText(b []byte) (err error) {
	*t, err = ParseTime(string(b))
	return err
}
