package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"mneme/embed"
)

// taking answers the requests for which take returns true. It answers others with an error
// status.
func taking(status int, take func(c call) bool) handler {
	return func(w http.ResponseWriter, r *http.Request, c call, n int) {
		if take(c) {
			good(w, r, c, n)
			return
		}
		http.Error(w, "secret "+c.Input[0], status)
	}
}

func tenTexts(c call) bool { return len(c.Input) <= 10 }

func shortRequest(c call) bool { return sizeOf(c.Input).bytes <= 1000 }

func withoutBad(c call) bool { return !strings.Contains(strings.Join(c.Input, " "), "bad") }

func TestRequestsShrinkToWhatTheServerAccepts(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		take   func(c call) bool
	}{
		"ten texts":          {http.StatusRequestEntityTooLarge, tenTexts},
		"ten texts, bad":     {http.StatusBadRequest, tenTexts},
		"so much text":       {http.StatusUnprocessableEntity, shortRequest},
		"so much text, 500s": {http.StatusInternalServerError, shortRequest},
	} {
		t.Run(name, func(t *testing.T) {
			var refused atomic.Int32
			s := newServer(t, func(w http.ResponseWriter, r *http.Request, request call, n int) {
				if !c.take(request) {
					refused.Add(1)
				}
				taking(c.status, c.take)(w, r, request, n)
			})
			config := testConfig(s)
			config.PassageLimit = 1
			e, _ := newEmbedder(t, config)
			var texts []string
			for i := range 70 {
				texts = append(texts, fmt.Sprint(strings.Repeat("long ", 12), i%10)) // of one length
			}
			checkPassages(t, e, texts)
			before := refused.Load()
			checkPassages(t, e, texts)
			if before == 0 || refused.Load() != before {
				t.Errorf("%d requests were refused, and then %d more", before, refused.Load()-before)
			}
			sent := len(s.received())
			checkPassages(t, e, []string{"a", "b", "c", "d", "e", "f", "g", "h"})
			if n := len(s.received()) - sent; n != 1 {
				t.Errorf("a small batch took %d requests", n)
			}
		})
	}
}

func TestOnlyTheRejectedTextIsBlamed(t *testing.T) {
	s := newServer(t, taking(http.StatusRequestEntityTooLarge, withoutBad))
	e, _ := newEmbedder(t, testConfig(s))
	_, err := e.Passages(t.Context(), []string{"a", "b", "bad", "c"})
	if !errors.Is(err, embed.ErrText) || !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "status 413") || strings.Contains(err.Error(), "bad") {
		t.Errorf("got %v", err)
	}
	sent := len(s.received())
	checkPassages(t, e, []string{"a", "b", "d", "c"})
	if n := len(s.received()) - sent; n != 1 {
		t.Errorf("the others took %d requests", n)
	}
}

func TestATextWithoutDirectionIsBlamed(t *testing.T) {
	e, _ := newEmbedder(t, testConfig(newServer(t, func(w http.ResponseWriter, _ *http.Request, c call, _ int) {
		all := items(c)
		for i, text := range c.Input {
			if strings.HasSuffix(text, "bad") {
				all[i].Embedding = make([]float32, testDim)
			}
		}
		answer(w, all)
	})))
	if _, err := e.Passages(t.Context(), []string{"a", "bad"}); !errors.Is(err, embed.ErrText) || !errors.Is(err, ErrAnswer) {
		t.Errorf("got %v", err)
	}
}

func TestAServiceThatRejectsEverythingGetsTwoRequests(t *testing.T) {
	s := newServer(t, taking(http.StatusBadRequest, func(call) bool { return false }))
	e, _ := newEmbedder(t, testConfig(s))
	_, err := e.Passages(t.Context(), []string{"a", "b", "c"})
	if !errors.Is(err, ErrRefused) || errors.Is(err, embed.ErrText) {
		t.Errorf("got %v", err)
	}
	if n := len(s.received()); n != 2 {
		t.Errorf("%d requests", n)
	}
}
