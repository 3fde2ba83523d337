package app

import (
	"context"
	"fmt"

	"hearth/app/cron"
	"hearth/app/embed"
	"hearth/app/social"
)

func (c *Config) checkEmbed() error {
	if c.EmbedURL == "" && c.EmbedModel+c.EmbedKey != "" {
		return fmt.Errorf("--embed-model and --embed-key-file need --embed-url, the service that they are for")
	}
	return nil
}

func (a *App) openEmbed() (err error) {
	if a.cfg.EmbedURL == "" {
		return nil
	}
	a.embed, err = embed.New(embed.Config{
		DB: a.db, URL: a.cfg.EmbedURL, Model: a.cfg.EmbedModel, Key: a.cfg.EmbedKey, AllowNet: a.cfg.AllowNet, Log: a.cfg.Log,
		Texts: social.TextsOf, Match: a.social.MatchNear, Pause: a.cfg.EmbedPause,
	})
	return err
}

func (a *App) listed() func() {
	if a.cfg.EmbedURL == "" {
		return nil
	}
	return func() { a.embed.Wake() }
}

func (a *App) embedJobs() []cron.Job {
	if a.embed == nil {
		return nil
	}
	return []cron.Job{{Name: "vectors of asks and offers", Schedule: "* * * * *", Run: func(context.Context) error {
		a.embed.Wake()
		return nil
	}}}
}
