package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// ErrURL is wrapped by the error of an address that no request goes to. The text after the colon says what is wrong.
var ErrURL = errors.New("not an address that can be requested")

// MaxURL is the maximum length of an address in bytes.
const MaxURL = 2048

// ParseURL parses the address of a request: http or https, with a host. A user name, a password, a fragment and the
// port of another protocol are errors. A name in another script is returned in ASCII. Its resolved address is checked
// when it is connected to.
func ParseURL(raw string) (*url.URL, error) {
	if len(raw) > MaxURL {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrURL, MaxURL)
	}
	if strings.ContainsFunc(raw, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\\' || r == unicode.ReplacementChar
	}) {
		return nil, fmt.Errorf("%w: it contains a space, a backslash or a control character", ErrURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be parsed", ErrURL)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: it does not start with http:// or https://", ErrURL)
	case u.User != nil:
		return nil, fmt.Errorf("%w: it contains a user name", ErrURL)
	case u.Opaque != "" || u.Hostname() == "":
		return nil, fmt.Errorf("%w: it has no host", ErrURL)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, checkHost(u)
}

func checkHost(u *url.URL) error {
	port := u.Port()
	if port != "" || strings.HasSuffix(u.Host, ":") {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || slices.Contains(otherPorts(), uint16(n)) {
			return fmt.Errorf("%w: its port is not one of a web server", ErrURL)
		}
	}
	host := u.Hostname()
	if strings.Contains(host, "%") {
		return fmt.Errorf("%w: it has a zone or an escaped character in its host", ErrURL)
	}
	if strings.Contains(host, ":") {
		return nil // an IPv6 address
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if _, notIP := netip.ParseAddr(strings.TrimSuffix(ascii, ".")); notIP == nil {
		ascii = strings.TrimSuffix(ascii, ".")
	}
	if err != nil || ascii == "" || strings.Trim(ascii, ".") == "" || len(ascii) > 253 || isOldAddress(ascii) {
		return fmt.Errorf("%w: its host is not a name or an address", ErrURL)
	}
	if u.Host = ascii; port != "" {
		u.Host += ":" + port
	}
	return nil
}

// Some programs still take 0x7f000001 and 127.1 as IPv4 addresses. No name ends in a number
// (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func isOldAddress(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, notHex := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(last), "0x"), 16, 64)
	number := strings.HasPrefix(strings.ToLower(last), "0x") && (notHex == nil || len(last) == 2) || strings.Trim(last, "0123456789") == ""
	_, err := netip.ParseAddr(host)
	return number && err != nil
}

// otherPorts are the ports that browsers refuse, too (https://fetch.spec.whatwg.org/#port-blocking): a request must
// not be taken for a mail or a command.
func otherPorts() []uint16 {
	return []uint16{
		1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
		113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
		554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
		6666, 6667, 6668, 6669, 6679, 6697, 10080,
	}
}

// IsWeb reports whether u is an http or https address with a host.
func IsWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }
