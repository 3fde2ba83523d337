package app

import (
	"fmt"

	"hearth/app/embed"
	"hearth/app/social"
)

func (c *Config) checkEmbed() error {
	if c.EmbedURL == "" && c.EmbedModel+c.EmbedKey != "" {
		return fmt.Errorf("--embed-model and --embed-key-file need --embed-url, the service that they are for")
	}
	return nil
}

func (a *App) embedder() (social.Embedder, error) {
	if a.cfg.EmbedURL == "" {
		return nil, nil
	}
	return embed.New(embed.Config{URL: a.cfg.EmbedURL, Model: a.cfg.EmbedModel, Key: a.cfg.EmbedKey, AllowNet: a.cfg.AllowNet, Log: a.cfg.Log})
}
