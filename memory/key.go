package memory

import (
	"context"
	"fmt"

	"mneme/acl"
)

// ErrAboveMaker reports that a key would have more rights than the token that makes it.
var ErrAboveMaker = fmt.Errorf("%w: a key has no scope and no taint above those of the token that makes it", acl.ErrDenied)

// MayManageKeys returns nil if the caller may list and revoke API keys, and make one for each
// of the principals in made. The error is acl.ErrDenied if the caller has no platform token. It
// is ErrAboveMaker if a principal has a scope that the caller lacks, or a higher taint.
//
// SECURITY: a platform token may share any store with any agent, up to its own taint. So a key
// for another agent gives the maker of the key no new rights, as long as the key's taint is not
// higher than its own.
func (a *Admin) MayManageKeys(c Caller, made ...acl.Principal) error {
	if err := platformOnly(c); err != nil {
		return err
	}
	for _, p := range made {
		if p.Taint > c.Taint || p.Platform && !c.Platform || p.Share && !c.Share || p.Spend && !c.Spend {
			return ErrAboveMaker
		}
	}
	return nil
}

// CheckKeyHolder returns ErrKindClash if an id is known as a chat's, since a chat must not
// authenticate with a key. It takes a platform token.
func (a *Admin) CheckKeyHolder(ctx context.Context, c Caller, agent string) error {
	if err := platformOnly(c, agent); err != nil {
		return err
	}
	return a.service.view(ctx, c, func(tx ReadTx) error { return requireNoChat(ctx, tx, agent) })
}
