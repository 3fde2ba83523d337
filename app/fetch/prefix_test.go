package fetch

import "testing"

func TestParsePrefix(t *testing.T) {
	for in, want := range map[string]string{
		"10.1.2.3/8": "10.0.0.0/8", "10.1.2.3": "10.1.2.3/32", "2001:db8::1": "2001:db8::1/128", "2001:db8::1/32": "2001:db8::/32",
		"": "", "10.0.0.0/33": "", "localhost": "", "10.0.0.1:80": "", " 10.0.0.1": "",
	} {
		got, err := ParsePrefix(in)
		if want == "" && err == nil || want != "" && (err != nil || got.String() != want) {
			t.Errorf("%q: %v, %v, want %q", in, got, err, want)
		}
	}
}
