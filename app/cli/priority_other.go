//go:build !unix

package cli

// LowerPriority does nothing on this system.
func LowerPriority() {}
