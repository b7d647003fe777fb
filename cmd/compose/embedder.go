package compose

import (
	"mneme/acl"
	"mneme/configs"
	"mneme/embed"
	"mneme/embed/openai"
)

// remoteEmbedder is a kind of embedder that calls another server.
type remoteEmbedder struct {
	name     string // in configs.Embedders
	open     func(configs.Config) (embed.Embedder, error)
	made     func(embed.Embedder) bool   // reports whether an embedder is of this kind
	maxLabel func(configs.Config) string // the highest label of entries whose text it is sent
	check    string                      // what the user should check if the server does not answer
}

// remotes are all embedders except e5, which runs in this process.
var remotes = []remoteEmbedder{{
	name: "openai", open: openOpenAI,
	made:     func(e embed.Embedder) bool { _, ok := e.(*openai.Embedder); return ok },
	maxLabel: func(c configs.Config) string { return c.OpenAI.MaxLabel },
	check:    "check openai.base_url, openai.model and openai.api_key",
}}

func openOpenAI(config configs.Config) (embed.Embedder, error) {
	o := config.OpenAI
	embedder, err := openai.New(openai.Config{
		BaseURL: o.BaseURL, Model: o.Model, APIKey: string(o.APIKey), Revision: o.Revision,
		Dim: o.Dim, SendDim: o.SendDim,
		QueryPrefix: o.QueryPrefix, PassagePrefix: o.PassagePrefix,
		CosineUnrelated: o.CosineUnrelated, CosineRelated: o.CosineRelated,
		MaxTokens: o.MaxTokens, Timeout: o.Timeout,
	})
	if err != nil {
		return nil, &ConfigError{err}
	}
	return embedder, nil
}

// remoteOf returns the configured embedder if it calls a server; nil if it does not.
func remoteOf(config configs.Config) *remoteEmbedder {
	for i := range remotes {
		if remotes[i].name == config.Embedder {
			return &remotes[i]
		}
	}
	return nil
}

// sentUpTo returns the highest label of entries whose text an embedder is sent; 0: it is
// sent the text of all entries.
func sentUpTo(config configs.Config, embedder embed.Embedder) acl.Label {
	for _, r := range remotes {
		if r.made(embedder) {
			return labelOf(r.maxLabel(config))
		}
	}
	return 0
}

// RemoteEmbedder returns the highest label of entries whose text the configured embedder is
// sent, and what the user should check if it does not answer. ok is false if it runs in
// this process.
func RemoteEmbedder(config configs.Config) (maxLabel, check string, ok bool) {
	r := remoteOf(config)
	if r == nil {
		return "", "", false
	}
	return r.maxLabel(config), r.check, true
}
