//go:build !linux

package app_test

import (
	"context"
	"testing"
)

func testChaos(t *testing.T, _ context.Context) {
	t.Skip("the server is started and killed in ways that only Linux has")
}
