package social

import (
	"context"
	"strconv"

	"hearth/app/match"
	"hearth/store"
)

const (
	keysSetting = "match_keys" // the match.KeysVersion of the stored keys
	rekeyed     = 50
)

// Rekey stores the keys of intents again if an earlier version computed them differently. Intents with keys of
// different versions do not find each other. It makes no matches.
func (s *Service) Rekey(ctx context.Context) error {
	current := strconv.Itoa(match.KeysVersion)
	for after := int64(0); ; {
		var stored string
		var batch []store.Intent
		err := s.DB.Read(ctx, func(r *store.Reader) (err error) {
			if stored, err = r.Setting(keysSetting); err == nil && stored != current {
				batch, err = r.IntentsAfter(after, rekeyed)
			}
			return err
		})
		if err != nil || stored == current {
			return err
		}
		keys := make([][]store.IntentKey, len(batch))
		for n := range batch {
			keys[n] = KeysOf(&batch[n])
			after = batch[n].Seq
		}
		err = s.DB.Write(ctx, func(tx *store.Tx) error {
			for n := range batch {
				if err := tx.ReplaceKeys(batch[n].Seq, keys[n], batch[n].Prepared); err != nil {
					return err
				}
			}
			if len(batch) < rekeyed {
				return tx.SetSetting(keysSetting, current)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}
