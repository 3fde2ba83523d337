package app

import "hearth/app/voice"

// Jobs of an earlier process are resumed, or given up if they are too old.
func (a *App) openVoice() (err error) {
	if a.cfg.TranscribeURL == "" {
		return nil
	}
	a.voice, err = voice.New(voice.Config{
		DB: a.db, Files: a.Files, URL: a.cfg.TranscribeURL, AllowNet: a.cfg.AllowNet, Log: a.cfg.Log, Finish: a.Chat.FinishTranscript,
	})
	return err
}

func (a *App) transcribe() func() {
	if a.cfg.TranscribeURL == "" {
		return nil
	}
	return func() { a.voice.Wake() }
}
