package memory

import (
	"context"

	"mneme/acl"
	"mneme/embed/choice"
)

// SetLanguage chooses which models read the entries of a store, and returns the updated store.
// The caller needs readwrite on the store, and not by a grant: a guest does not decide how a
// store is searched. A platform token may choose for any store. Every caller sees the choice,
// so in a session above PUBLIC the error is a ConflictError. The entries get their vectors in
// the background; until then searches use the existing ones.
func (s *Service) SetLanguage(ctx context.Context, c Caller, store string, language choice.Language) (StoreInfo, error) {
	var info StoreInfo
	err := s.update(ctx, c, Work{Stores: []string{store}}, func(tx Tx) error {
		now := s.Instant()
		a, err := shareAccess(ctx, tx, c, store, now)
		if err != nil {
			return err
		}
		if a.Via == acl.ViaGrant && !c.Platform {
			return acl.ErrDenied
		}
		if !c.Platform && c.Taint != acl.Public {
			return conflict("every session reads the language of a store: it is chosen in one at PUBLIC, or by the platform")
		}
		if language > choice.LanguageMultilingual {
			return rule("language", "must be auto, english or multilingual")
		}
		known, err := tx.StoreFacts(ctx, []string{store})
		if err != nil {
			return err
		}
		// A repeated choice changes nothing, unless the store has been Asked since: then the
		// choice resets Asked.
		if was := choice.Of(known[store].Detail); was.Language != language || was.Asked {
			if err := tx.PutReading(ctx, ReadingChange{Store: store, Language: &language, QueuedAt: now}); err != nil {
				return err
			}
			known, err = tx.StoreFacts(ctx, []string{store})
		}
		if err != nil {
			return err
		}
		a.Detail = known[store].Within(a.Ceiling)
		info, err = s.infoOf(ctx, tx, a)
		return err
	})
	if err == nil {
		s.indexer.Wake()
	}
	return info, err
}

// ModelStores are numbers of stores: those that the English model reads and those that the
// multilingual one reads, where a store that both read counts twice; and those where a model
// still has to read some entries (see choice.Reading.Whole).
type ModelStores struct{ English, Multilingual, Unread int64 }

// ModelStores counts the stores that each model reads. It returns nil if the embedder reads
// every language. It takes a platform token.
func (a *Admin) ModelStores(ctx context.Context, c Caller) (*ModelStores, error) {
	if err := platformOnly(c); err != nil {
		return nil, err
	}
	if _, one := a.service.oneModel(); one {
		return nil, nil
	}
	var n ModelStores
	err := a.service.view(ctx, c, func(tx ReadTx) (err error) {
		if n.English, err = tx.CountStoresRead(ctx, choice.LanguageEnglish); err != nil {
			return err
		}
		if n.Multilingual, err = tx.CountStoresRead(ctx, choice.LanguageMultilingual); err != nil {
			return err
		}
		n.Unread, err = tx.CountStoresUnread(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// modelsOf returns the values of StoreInfo.Models and StoreInfo.EveryLanguage for a store.
func (s *Service) modelsOf(reading choice.Reading) (models []string, everyLanguage bool) {
	if fingerprint, one := s.oneModel(); one {
		if fingerprint != "" {
			models = append(models, fingerprint)
		}
		return models, true
	}
	return reading.Models(), false
}

// addProgress sets StoreInfo.Progress for a store that a model is reading again.
//
// SECURITY: it counts only entries up to the caller's ceiling.
func (s *Service) addProgress(ctx context.Context, tx ReadingReader, a acl.Access, info *StoreInfo) error {
	reading := choice.Of(a.Detail)
	if _, one := s.oneModel(); one || reading.Whole() {
		return nil
	}
	from := reading.MultilingualFrom()
	total, err := tx.CountRead(ctx, a.Store, from, a.Ceiling)
	if err != nil {
		return err
	}
	left, err := tx.CountUnread(ctx, a.Store, from, a.Ceiling)
	if err != nil {
		return err
	}
	total = max(total, left)
	info.Progress = &ReadingProgress{Done: total - left, Total: total}
	return nil
}

// oneModel reports whether one model reads every language. If so, it returns that model's
// fingerprint, or "" if the model does not serve in this process.
func (s *Service) oneModel() (fingerprint string, one bool) {
	if serving := s.indexer.Serving(); len(serving) > 0 {
		return serving[0].Fingerprint, !serving[0].EnglishOnly
	}
	return "", s.everyLanguage
}
