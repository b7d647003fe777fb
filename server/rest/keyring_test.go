package rest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"mneme/server/problem"
	"mneme/server/token"
)

func TestEachErrorOfAKeyringHasItsProblem(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		detail string
	}{
		{fmt.Errorf("revoke: %w", token.ErrUnknownKey), http.StatusNotFound, "no API key or token"},
		{fmt.Errorf("create: %w", token.ErrTooManyKeys), http.StatusTooManyRequests, "revoke one"},
		{&fs.PathError{Op: "open", Path: "/secret", Err: fs.ErrPermission}, http.StatusConflict, "run mneme token"},
		{errors.New("/secret: the disk is full"), http.StatusServiceUnavailable, "mneme doctor"},
	} {
		got := problem.From(keyProblem(test.err))
		if got.Status != test.status || !strings.Contains(got.Detail, test.detail) || strings.Contains(got.Detail, "secret") || !errors.Is(got, test.err) {
			t.Errorf("%v: %d %q", test.err, got.Status, got.Detail)
		}
	}
}
