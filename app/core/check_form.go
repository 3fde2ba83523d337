package core

import (
	"encoding"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hearth/store"
)

// Parse sets v, an addressable value of the field's type, from the text of a default or a parameter. The Error says
// what is expected.
func (f *Field) Parse(v reflect.Value, s string) error {
	var err error
	switch f.Class {
	case Text:
		v.SetString(s)
	case Boolean:
		if s != "true" && s != "false" {
			err = strconv.ErrSyntax
		}
		v.SetBool(s == "true")
	case Integer:
		var n int64
		n, err = strconv.ParseInt(s, 10, v.Type().Bits())
		if f.Clamp && n > 0 && errors.Is(err, strconv.ErrRange) {
			err = nil // n is the largest value
		}
		v.SetInt(n)
	case Number:
		var n float64
		if n, err = strconv.ParseFloat(s, v.Type().Bits()); n != n {
			err = strconv.ErrSyntax
		}
		v.SetFloat(n)
	default:
		u, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
		if !ok {
			return fmt.Errorf("%s has no text form", f.Type)
		}
		err = u.UnmarshalText([]byte(s))
	}
	if err != nil {
		return f.mustBe(f.Name)
	}
	return nil
}

// Accepts returns nil if s is a valid value of the field, else the Error that says what is expected.
func (f *Field) Accepts(s string) error {
	v := reflect.New(f.Type).Elem()
	if err := f.Parse(v, s); err != nil {
		return err
	}
	return f.value(v, f.Name)
}

const anyTime = "a date and time such as 2026-11-20T09:40:08Z"

// Expects describes the values of the field, to follow "must be", "send" or "takes": "text of 1 to 200 characters".
func (f *Field) Expects() string {
	switch f.Class {
	case Boolean:
		return "true or false"
	case Integer:
		return "a whole number" + f.numbers()
	case Number:
		return "a number" + f.numbers()
	case Time:
		return anyTime
	case List:
		return "an array" + f.span("items") + " in which each is " + f.Element.Expects()
	case Object:
		return "an object"
	case Value:
		if f.Format == "object" {
			return "an object" + f.span("characters of JSON")
		}
		return "a JSON value" + f.span("characters")
	}
	if last := len(f.Enum) - 1; last == 0 {
		return "“" + f.Enum[0] + "”"
	} else if last > 0 {
		return strings.Join(f.Enum[:last], ", ") + " or " + f.Enum[last]
	}
	switch f.Format {
	case "uuid":
		return "an id (36 characters, lower case)"
	case "date-time":
		return anyTime
	case "email":
		return "an e-mail address such as name@example.org" + f.span("characters")
	case "url":
		return "a web address that starts with http:// or https://" + f.span("characters")
	}
	return "text" + f.span("characters")
}

func (f *Field) span(unit string) string {
	switch {
	case f.Min != nil && f.Max != nil && *f.Min > 0:
		return fmt.Sprintf(" of %s to %s %s", plain(*f.Min), plain(*f.Max), unit)
	case f.Max != nil:
		return fmt.Sprintf(" of at most %s %s", plain(*f.Max), unit)
	case f.Min != nil && *f.Min > 0:
		return fmt.Sprintf(" of at least %s %s", plain(*f.Min), unit)
	}
	return ""
}

func (f *Field) numbers() string {
	switch {
	case f.Min != nil && f.Max != nil && !f.Clamp:
		return fmt.Sprintf(" from %s to %s", plain(*f.Min), plain(*f.Max))
	case f.Max != nil && !f.Clamp:
		return " up to " + plain(*f.Max)
	case f.Min != nil:
		return " of at least " + plain(*f.Min)
	}
	return ""
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// clean makes text without a visible character empty. NUL is left for the check that refuses it, unless any text is
// valid.
func (f *Field) clean(s string) string {
	if f.Any {
		s = strings.ReplaceAll(s, "\x00", " ")
	}
	if f.Raw {
		return s
	}
	if f.Line {
		s = breaks.ReplaceAllString(s, " ")
	}
	if !strings.ContainsFunc(s, isVisible) {
		return ""
	}
	return strings.TrimSpace(s)
}

func isVisible(r rune) bool { return !isInvisible(r) }

// NUL and invalid UTF-8 count as visible, so that they are refused and not trimmed.
func isInvisible(r rune) bool {
	return r == '\u2800' || r != 0 && unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector)
}

// breaks matches blanks with a break or a control character among them, except NUL.
var breaks = regexp.MustCompile(`\p{Z}*[\x01-\x1f\x7f-\x{9f}\x{2028}\x{2029}][\p{Z}\x01-\x1f\x7f-\x{9f}]*`)

// ValidFormat reports whether s is in a format of Rule: uuid, email, url or date-time. Any text is valid in other
// formats.
func ValidFormat(format, s string) bool {
	switch format {
	case "uuid":
		return store.ValidID(s)
	case "email":
		return validEmail(s)
	case "url":
		return validURL(s)
	case "date-time":
		_, err := store.ParseTime(s)
		return err == nil
	}
	return true
}

// validEmail accepts no name and no comments, because addresses are compared and written into mail headers. Invisible
// characters make two addresses look alike. Accounts without an address have one in the domain invalid.
func validEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || a.Name != "" || len(s) > 254 || strings.ContainsAny(s, "\"<>()[],;:\\ ") {
		return false
	}
	local, domain, _ := strings.Cut(s, "@")
	return len(local) <= 64 && !strings.HasSuffix("."+strings.ReplaceAll(store.Fold(domain), "。", "."), ".invalid") &&
		!strings.Contains(domain, "@") && !strings.ContainsFunc(s, notGraphic) && !strings.ContainsFunc(s, isInvisible)
}

func validURL(s string) bool {
	if strings.ContainsFunc(s, notGraphic) {
		return false
	}
	u, err := url.Parse(s)
	// Userinfo before an @ can look like the host.
	return err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) && u.Hostname() != "" && u.Opaque == "" && u.User == nil
}

func notGraphic(r rune) bool {
	return r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r)
}
