package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// PutParticipant makes an agent a participant of a chat; a ttl of nil or 0 means permanently.
// The chat's id is known as a chat's from then on. The error is ErrKindClash if an agent has
// called with that id. The kind of the agent's id does not change: only a verified token makes
// it a caller's. It takes a platform token.
func (a *Admin) PutParticipant(ctx context.Context, c Caller, chat, agent string, ttl *time.Duration) error {
	return a.putMember(ctx, c, chat, agent, ttl, func(tx Tx, m acl.Membership) error {
		if err := tx.ClaimName(ctx, chat, KindChat); err != nil {
			return err
		}
		return tx.PutMembership(ctx, acl.ViaChat, chat, agent, m)
	})
}

// PutSession puts an agent into a session with a user; a ttl of nil or 0 means permanently. The
// error is ErrKindClash if the user's id is known as a chat's. It takes a platform token.
func (a *Admin) PutSession(ctx context.Context, c Caller, user, agent string, ttl *time.Duration) error {
	return a.putMember(ctx, c, user, agent, ttl, func(tx Tx, m acl.Membership) error {
		if err := requireNoChat(ctx, tx, user); err != nil {
			return err
		}
		return tx.PutMembership(ctx, acl.ViaUser, user, agent, m)
	})
}

func (a *Admin) putMember(ctx context.Context, c Caller, of, agent string, ttl *time.Duration, put func(Tx, acl.Membership) error) error {
	if err := platformOnly(c, of, agent); err != nil {
		return err
	}
	m := acl.Membership{Present: true}
	if ttl != nil {
		if err := CheckTTL(*ttl); err != nil {
			return err
		}
		m.ExpiresAt = expiry(a.service.Instant(), *ttl)
	}
	return a.service.update(ctx, c, Work{Stores: []string{of}}, func(tx Tx) error {
		if err := requireNoChat(ctx, tx, agent); err != nil {
			return err
		}
		return put(tx, m)
	})
}

// requireNoChat returns ErrKindClash if an id is known as a chat's, where an agent's or user's
// is required. This reveals whether a chat exists, so only calls of platform tokens may use it.
func requireNoChat(ctx context.Context, tx NameReader, id string) error {
	kind, err := tx.KindOf(ctx, id)
	if err == nil && kind == KindChat {
		err = ErrKindClash
	}
	return err
}

// DeleteParticipant removes an agent from a chat. The error is ErrNotFound if it is not a
// participant. It takes a platform token.
func (a *Admin) DeleteParticipant(ctx context.Context, c Caller, chat, agent string) error {
	return a.deleteMember(ctx, c, acl.ViaChat, chat, agent)
}

// DeleteSession ends an agent's session with a user. The error is ErrNotFound if there is none.
// It takes a platform token.
func (a *Admin) DeleteSession(ctx context.Context, c Caller, user, agent string) error {
	return a.deleteMember(ctx, c, acl.ViaUser, user, agent)
}

func (a *Admin) deleteMember(ctx context.Context, c Caller, via acl.Via, of, agent string) error {
	if err := platformOnly(c, of, agent); err != nil {
		return err
	}
	return a.service.update(ctx, c, Work{Stores: []string{of}}, func(tx Tx) error {
		m, err := tx.Membership(ctx, via, of, agent)
		if err != nil {
			return err
		}
		if !m.Present || !m.ExpiresAt.IsZero() && !a.service.now().Before(m.ExpiresAt) {
			return ErrNotFound
		}
		return tx.PutMembership(ctx, via, of, agent, acl.Membership{})
	})
}

func platformOnly(c Caller, ids ...string) error {
	for _, id := range ids {
		if err := acl.CheckID(id); err != nil {
			return err
		}
	}
	if !c.Platform {
		return acl.ErrDenied
	}
	return nil
}

// Settings returns an agent's settings to the agent itself or a platform token.
func (s *Service) Settings(ctx context.Context, c Caller, agent string) (acl.Settings, error) {
	if err := selfOrPlatform(c, agent); err != nil {
		return acl.Settings{}, err
	}
	var settings acl.Settings
	err := s.view(ctx, c, func(tx ReadTx) (err error) {
		settings, err = tx.Settings(ctx, agent)
		return err
	})
	return settings, err
}

// PutSettings writes an agent's settings, for the agent itself or a platform token. If the
// agent turns on what a platform token turned off, the error is acl.ErrDenied. Every session of
// the agent reads its settings, so a session above PUBLIC cannot write them: the error is a
// ConflictError. settings.Locked is ignored.
//
// SECURITY: the switches are read in the transaction that writes them.
func (s *Service) PutSettings(ctx context.Context, c Caller, agent string, settings acl.Settings) error {
	if err := selfOrPlatform(c, agent); err != nil {
		return err
	}
	if err := CheckTTL(settings.DefaultTTL); err != nil {
		return rule("default_ttl", "must be 0 to %d seconds", int64(MaxTTL/time.Second))
	}
	if !c.Platform && c.Taint != acl.Public {
		return conflict("every session reads the settings: they are written in one at PUBLIC, or by the platform")
	}
	return s.update(ctx, c, Work{}, func(tx Tx) error {
		// Reading a Meta setting locks it, even one that is never written, as here. The lock
		// keeps a platform token from turning anything off between the read and the write
		// below.
		if _, err := tx.Meta(ctx, "settings of "+agent); err != nil {
			return err
		}
		old, err := tx.Settings(ctx, agent)
		if err != nil {
			return err
		}
		write := settings
		write.Locked = write.Off()
		if !c.Platform {
			write.Locked = old.Locked
			if old.Locked&^write.Off() != 0 {
				return acl.ErrDenied
			}
		}
		return tx.PutSettings(ctx, agent, write)
	})
}

func selfOrPlatform(c Caller, agent string) error {
	if err := acl.CheckID(agent); err != nil {
		return err
	}
	if c.Agent != agent && !c.Platform {
		return acl.ErrDenied
	}
	return nil
}

// Purge erases entries that were deleted or expired before a time: row, history, lexical terms,
// vectors and idempotency records. The time must be at least Limits.Retention ago. What remains
// in the database's files is scrubbed soon or, if the request waits, before Purge returns. It
// takes a platform token. With an error, it returns the entries that it erased. A repeated call
// with the same Idempotency-Key returns all entries that calls with this key have erased,
// including interrupted and concurrent calls.
func (a *Admin) Purge(ctx context.Context, c Caller, r PurgeRequest, i *Idempotency) (PurgeResult, error) {
	now := a.service.Instant()
	if err := a.checkPurge(c, r.Before, now); err != nil {
		return PurgeResult{}, err
	}
	if err := a.service.sweep(ctx, now); err != nil {
		return PurgeResult{}, err
	}
	var result PurgeResult
	of := i
	for batch := 1; ; batch++ {
		ids, err := a.purge(ctx, c, r.Before.UTC(), of)
		if err != nil {
			return result, err
		}
		if len(ids) == 0 {
			break
		}
		result.IDs = append(result.IDs, ids...)
		of = i.batch(batch, result.IDs[0])
		// An indexing worker may not have removed the vectors of these entries yet.
		if err := a.service.indexer.RemoveVectors(ctx, ids); err != nil {
			a.service.log.WarnContext(ctx, "vectors of purged entries remain until the vector index is reconciled", "entries", len(ids), "error", err)
		}
	}
	result.ErasedOnDisk = a.scrubPurged(ctx, r.Wait)
	return result, ctx.Err()
}

// CountPurge counts the entries that Purge would erase, under the same rules, without erasing
// them.
func (a *Admin) CountPurge(ctx context.Context, c Caller, before time.Time) (n int64, err error) {
	if err := a.checkPurge(c, before, a.service.Instant()); err != nil {
		return 0, err
	}
	err = a.service.update(ctx, c, Work{}, func(tx Tx) error {
		n, err = tx.CountErasable(ctx, before.UTC())
		return err
	})
	return n, err
}

func (a *Admin) checkPurge(c Caller, before, now time.Time) error {
	if !c.Platform {
		return acl.ErrDenied
	}
	if before.After(now.Add(-*a.service.limits.Retention)) {
		return rule("before", "must be at least the retention of %s ago", *a.service.limits.Retention)
	}
	return nil
}

// purge erases a batch of entries and records their IDs in the same transaction, unless an
// earlier call with the same key did. If there is nothing left to erase, the batch is empty.
func (a *Admin) purge(ctx context.Context, c Caller, cutoff time.Time, i *Idempotency) ([]uuid.UUID, error) {
	var batch PurgeResult
	err := a.service.update(ctx, c, Work{Entries: allOfIt}, func(tx Tx) error {
		batch = PurgeResult{}
		record, err := a.service.Outcomes().Recorded(ctx, tx, c, i)
		if err != nil {
			return err
		}
		if record != nil {
			return json.Unmarshal(record.Numbers, &batch)
		}
		if batch.IDs, err = tx.Purge(ctx, cutoff, 500); err != nil {
			return err
		}
		// The IDs are not in IdempotencyRecord.IDs, because a later purge would look for
		// records that name its entries there.
		numbers, err := json.Marshal(batch)
		if err != nil {
			return fmt.Errorf("purge: %w", err)
		}
		return a.service.Outcomes().Record(ctx, tx, c, i, IdempotencyRecord{Numbers: numbers})
	})
	return batch.IDs, err
}
