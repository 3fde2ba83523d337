package fetch

import (
	"errors"
	"net"
	"testing"
)

func TestDialerRefusesPrivateAddresses(t *testing.T) {
	l := listen(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	d, err := NewDialer(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{
		"127.0.0.1", "localhost", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "10.1.2.3", "172.16.0.1",
		"192.168.1.1", "169.254.169.254", "100.64.0.1", "fe80::1", "fd00::1", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1",
		"255.255.255.255", "198.18.0.1", "192.0.2.1",
	} {
		c, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			c.Close()
		}
		if !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: got %v, want ErrBlocked", host, err)
		}
	}
}

func TestDialerAllow(t *testing.T) {
	l := listen(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, tc := range []struct {
		allow []string
		host  string
		ok    bool
	}{
		{[]string{"127.0.0.0/8"}, "127.0.0.1", true},
		{[]string{"127.0.0.1"}, "127.0.0.1", true},
		{[]string{" Localhost "}, "localhost", true},
		{[]string{"localhost"}, "127.0.0.1", false},
		{[]string{"10.0.0.0/8"}, "127.0.0.1", false},
	} {
		d, err := NewDialer(tc.allow)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.DialContext(t.Context(), "tcp4", net.JoinHostPort(tc.host, port))
		if err == nil {
			c.Close()
		}
		if (err == nil) != tc.ok {
			t.Errorf("allow %q, %s: got %v, want ok=%v", tc.allow, tc.host, err, tc.ok)
		}
	}
	for _, bad := range []string{"10.0.0.0/33", "http://x", "a b"} {
		if _, err := NewDialer([]string{bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Secrets go to https addresses, and to http addresses whose host is allowed explicitly.
func TestCheckSecure(t *testing.T) {
	d, err := NewDialer([]string{"10.1.0.0/16", "push.lan"})
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient(d, Options{Refuse: []string{"hearth.example"}})
	for url, ok := range map[string]bool{
		"https://push.example/a": true, "http://push.example/a": false, "http://10.1.2.3:8080/a": true, "https://10.1.2.3/a": true,
		"http://10.2.2.3/a": false, "https://10.2.2.3/a": false, "http://push.lan/a": true, "http://PUSH.lan./a": true,
		"http://x.push.lan/a": false, "http://8.8.8.8/a": false, "https://8.8.8.8/a": true, "https://hearth.example/a": false,
		"ftp://push.lan/a": false, "": false,
	} {
		if err := c.CheckSecure(url); (err == nil) != ok {
			t.Errorf("%s: %v", url, err)
		}
	}
}
