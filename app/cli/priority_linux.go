package cli

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// LowerPriority lets other processes, such as the server, interrupt this one as
// soon as they have work. A failure changes nothing.
func LowerPriority() {
	// The policy is that of a thread, and new threads inherit it.
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
		}
	}
}
