package memory

import (
	"context"

	"mneme/acl"
)

// SetLanguage chooses which models read the entries of a store, and returns the store as it
// is now. The caller needs readwrite on it, and not by a grant: a guest does not decide how
// a store is searched. A platform token may choose for any store. The entries get their
// vectors in the background; until then searches use those that they have.
func (s *Service) SetLanguage(ctx context.Context, c Caller, store string, language acl.Language) (StoreInfo, error) {
	if language > acl.LanguageMultilingual {
		return StoreInfo{}, rule("language", "must be auto, english or multilingual")
	}
	var info StoreInfo
	err := s.storage.Update(ctx, func(tx Tx) error {
		now := s.Instant()
		a, err := shareAccess(ctx, tx, c, store, now)
		if err != nil {
			return err
		}
		if a.Via == acl.ViaGrant && !c.Platform {
			return acl.ErrDenied
		}
		if err := tx.PutFact(ctx, ReadingFact{Store: store, Language: &language, QueuedAt: now}); err != nil {
			return err
		}
		known, err := tx.StoreFacts(ctx, []string{store})
		a.Reading = known[store].Reading
		info = infoOf(a)
		return err
	})
	if err == nil {
		s.indexer.Wake()
	}
	return info, err
}
