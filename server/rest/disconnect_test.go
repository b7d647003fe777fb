package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestABodyThatBreaksOffIsMalformed(t *testing.T) {
	h := open(t)
	for _, target := range []string{imports, seat} {
		method, kind := "PUT", "application/json"
		if target == imports {
			method, kind = "POST", "application/x-ndjson"
		}
		r := httptest.NewRequest(method, target, io.MultiReader(strings.NewReader(`{"key":"a",`), broken{}))
		r.Header.Set("Authorization", "Bearer "+h.Token(alice))
		r.Header.Set("Content-Type", kind)
		if a := h.send(r); a.status != 400 {
			t.Errorf("%s: %d %s", target, a.status, a.body)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestACallThatItsClientLeftIsCounted(t *testing.T) {
	h := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest(http.MethodGet, "/v1/stores/self/memories", nil).WithContext(ctx)
	r.Header.Set("Authorization", "Bearer "+h.Token(alice))
	if a := h.send(r); a.status != 499 {
		t.Errorf("%d %s", a.status, a.body)
	}
}
