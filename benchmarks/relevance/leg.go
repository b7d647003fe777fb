package relevance

import (
	"context"
	"errors"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// vectorOnly is a storage whose lexical leg fails, so that searches use only the
// vector leg.
type vectorOnly struct{ memory.Storage }

var errLegOff = errors.New("the lexical leg is disabled")

// View runs fn over a snapshot without a lexical leg.
func (s vectorOnly) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return s.Storage.View(ctx, func(tx memory.ReadTx) error { return fn(vectorOnlyTx{tx}) })
}

type vectorOnlyTx struct{ memory.ReadTx }

// Lexical always fails.
func (vectorOnlyTx) Lexical(context.Context, acl.Scope, memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	return nil, nil, errLegOff
}
