//go:build unix && !linux

package cli

import "syscall"

// LowerPriority lets other processes, such as the server, go first. A failure
// changes nothing.
func LowerPriority() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
