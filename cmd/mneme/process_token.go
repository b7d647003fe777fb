package main

import (
	"context"
	"crypto/rand"
	"sync"

	"mneme/acl"
	"mneme/server/token"
)

// processTokens are the tokens of calls within this process: random, and worth
// nothing to any other verifier. They let a command act as the agents it was
// started for, without the local key.
type processTokens struct {
	mu         sync.RWMutex
	principals map[string]acl.Principal // by token
}

func newProcessTokens() *processTokens {
	return &processTokens{principals: make(map[string]acl.Principal)}
}

// mint makes a token of a principal.
func (t *processTokens) mint(p acl.Principal) (string, error) {
	credential := rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.principals[credential] = p
	return credential, nil
}

// Verify accepts the tokens of mint, and nothing else.
func (t *processTokens) Verify(_ context.Context, credential string) (acl.Principal, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p, ok := t.principals[credential]
	if !ok {
		return acl.Principal{}, &token.Refusal{Reason: "the token is not of this process"}
	}
	return p, nil
}
