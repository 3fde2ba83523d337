package app

import "net"

func listenPrivately(path string) (*net.UnixListener, error) {
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

func ownSocket(string, string) error { return nil }
