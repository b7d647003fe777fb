package main

import (
	"context"
	"crypto/rand"
	"sync"

	"mneme/acl"
	"mneme/server/token"
)

// processTokens issues and verifies the tokens of calls within this process. They are
// random, and no other verifier accepts them. Thanks to them, a command needs no local
// signing key to act as an agent.
type processTokens struct {
	mu         sync.RWMutex
	principals map[string]acl.Principal // by token
}

func newProcessTokens() *processTokens {
	return &processTokens{principals: make(map[string]acl.Principal)}
}

// mint returns a new token for a principal.
func (t *processTokens) mint(p acl.Principal) (string, error) {
	credential := rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.principals[credential] = p
	return credential, nil
}

// VerifyAtOnce is Verify.
func (t *processTokens) VerifyAtOnce(ctx context.Context, credential string) (acl.Principal, error) {
	return t.Verify(ctx, credential)
}

// Verify accepts the tokens issued by mint.
func (t *processTokens) Verify(_ context.Context, credential string) (acl.Principal, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p, ok := t.principals[credential]
	if !ok {
		return acl.Principal{}, &token.Refusal{Reason: "the token was not issued by this process"}
	}
	return p, nil
}
