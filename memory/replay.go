package memory

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
)

// Statuses that a replay record keeps.
const (
	replayDone    = 200
	replayCreated = 201
)

func (c Caller) replayKey(r *Replay) ReplayKey {
	return ReplayKey{Agent: c.Agent, Taint: c.Taint, Call: r.Call, Path: r.Path, Key: r.Key}
}

// recorded finds the outcome of the same call made before: nil if this is the
// first, ErrReplay if the key was used with another body.
func (s *Service) recorded(ctx context.Context, tx Tx, c Caller, r *Replay) (*ReplayRecord, error) {
	if r == nil {
		return nil, nil
	}
	record, err := tx.Replay(ctx, c.replayKey(r))
	if err != nil || record == nil {
		return nil, err
	}
	if now := s.instant(); !now.Before(record.ExpiresAt) { // it must not stand in the new one's way
		return nil, tx.SweepFacts(ctx, now, keepChanges)
	}
	if record.Digest != r.Digest {
		return nil, ErrReplay
	}
	return record, nil
}

// record keeps an outcome for a replay, in the transaction of the call.
func (s *Service) record(ctx context.Context, tx Tx, c Caller, r *Replay, status int, ids []uuid.UUID, numbers json.RawMessage) error {
	if r == nil {
		return nil
	}
	return tx.RecordReplay(ctx, c.replayKey(r), ReplayRecord{
		Digest: r.Digest, Status: status, IDs: ids, Numbers: numbers,
		ExpiresAt: s.instant().Add(s.limits.Replay),
	})
}

// once makes a call that leaves one entry happen once. A replay reads the
// entry as the caller may see it now; the caller has been authorised already.
func (s *Service) once(ctx context.Context, tx Tx, c Caller, r *Replay, call func() (PutResult, error)) (PutResult, error) {
	record, err := s.recorded(ctx, tx, c, r)
	if err != nil {
		return PutResult{}, err
	}
	if record != nil {
		return s.readAgain(ctx, tx, c, record)
	}
	result, err := call()
	if err != nil {
		return PutResult{}, err
	}
	if err := s.showSources(ctx, tx, c, &result.Found); err != nil {
		return PutResult{}, err
	}
	status := replayDone
	if result.Created {
		status = replayCreated
	}
	return result, s.record(ctx, tx, c, r, status, []uuid.UUID{result.ID}, nil)
}

// readAgain answers a replay: the entry that the call left, if the caller
// still sees it.
func (s *Service) readAgain(ctx context.Context, tx Tx, c Caller, record *ReplayRecord) (PutResult, error) {
	entries, err := tx.Get(ctx, record.IDs)
	if err != nil {
		return PutResult{}, err
	}
	if len(entries) == 0 {
		return PutResult{}, ErrNotFound
	}
	_, e, err := s.see(ctx, tx, c, entries[0].Path, acl.Read)
	if err != nil {
		return PutResult{}, err
	}
	if e.ID != entries[0].ID {
		return PutResult{}, ErrNotFound
	}
	result := PutResult{Found: s.found(*e), Created: record.Status == replayCreated}
	return result, s.showSources(ctx, tx, c, &result.Found)
}

// refusal tells the errors that concern one request from those of the
// storage, which concern everything.
func refusal(err error) bool {
	var broken *RuleError
	var full *QuotaError
	return errors.As(err, &broken) || errors.As(err, &full) || isAny(err,
		ErrNotFound, ErrConflict, ErrPrecondition, acl.ErrDenied, acl.ErrBadID)
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

func idsOf(entries []Entry) []uuid.UUID {
	ids := make([]uuid.UUID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	return ids
}
