package app

import "hearth/app/voice"

// openVoice starts the transcriber, if one is configured. What an earlier process
// waited for is then done, or given up if it is too late.
func (a *App) openVoice() (err error) {
	if a.cfg.TranscribeURL == "" {
		return nil
	}
	a.voice, err = voice.New(voice.Config{
		DB: a.db, Files: a.files, URL: a.cfg.TranscribeURL, AllowNet: a.cfg.AllowNet, Log: a.cfg.Log, Finish: a.chat.FinishTranscript,
	})
	return err
}

// transcribe returns the function that is called after a voice note was sent, or
// nil without a transcriber.
func (a *App) transcribe() func() {
	if a.cfg.TranscribeURL == "" {
		return nil
	}
	return func() { a.voice.Wake() }
}
