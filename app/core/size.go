package core

import "fmt"

// Size returns a size for people, such as "1.2 MB".
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n, " B")
	}
	size, unit := float64(n)/1000, 0
	units := [...]string{"kB", "MB", "GB", "TB"}
	for size >= 999.5 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, units[unit])
	}
	return fmt.Sprintf("%.0f %s", size, units[unit])
}
