package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"mneme/configs"
	"mneme/embed"
	"mneme/embed/e5"
	"mneme/embed/openai"
	"mneme/indexer"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus"
)

// OpenModels opens the configured embedder and, if that is not the built-in one,
// the built-in embedder after it: a data folder starts with the built-in
// embedder's vectors, and they keep serving while a reindex embeds the entries
// with the configured one.
func OpenModels(config configs.Config, log *slog.Logger) ([]indexer.Model, error) {
	var embedders []embed.Embedder
	if config.Embedder == "openai" {
		remote, err := openOpenAI(config)
		if err != nil {
			return nil, err
		}
		embedders = append(embedders, remote)
	}
	builtIn, err := e5.New(e5.Options{})
	if err != nil {
		return nil, err
	}
	embedders = append(embedders, builtIn)
	models := make([]indexer.Model, len(embedders))
	for i, embedder := range embedders {
		if models[i], err = NewModel(config, embedder, log); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// OpenEmbedder opens the configured embedder.
func OpenEmbedder(config configs.Config) (embed.Embedder, error) {
	if config.Embedder == "openai" {
		return openOpenAI(config)
	}
	return e5.New(e5.Options{})
}

func openOpenAI(config configs.Config) (embed.Embedder, error) {
	o := config.OpenAI
	embedder, err := openai.New(openai.Config{
		BaseURL: o.BaseURL, Model: o.Model, APIKey: string(o.APIKey), Revision: o.Revision,
		Dim: o.Dim, SendDim: o.SendDim,
		QueryPrefix: o.QueryPrefix, PassagePrefix: o.PassagePrefix,
		MaxTokens: o.MaxTokens, Timeout: o.Timeout,
	})
	if err != nil {
		return nil, &ConfigError{err}
	}
	return embedder, nil
}

// NewModel pairs an embedder with the configured vector index.
func NewModel(config configs.Config, embedder embed.Embedder, log *slog.Logger) (indexer.Model, error) {
	switch config.Vector {
	case "flat":
		return indexer.Model{
			Embedder: embedder,
			Open:     func(context.Context) (vector.Index, error) { return flat.New(embedder.Dim()), nil },
			Local:    true,
		}, nil
	case "milvus":
		if config.Milvus.Addr == "" {
			return indexer.Model{}, &ConfigError{errors.New("vector milvus needs milvus.addr (MNEME_MILVUS_ADDR)")}
		}
		return indexer.Model{
			Embedder: embedder,
			Open: func(ctx context.Context) (vector.Index, error) {
				return milvus.Open(ctx, MilvusConfig(config.Milvus, embedder), log)
			},
		}, nil
	default:
		return indexer.Model{}, &ConfigError{fmt.Errorf("unknown vector index %s: use flat or milvus", config.Vector)}
	}
}

// MilvusConfig returns the configuration of the Milvus index that holds an
// embedder's vectors.
func MilvusConfig(m configs.Milvus, embedder embed.Embedder) milvus.Config {
	return milvus.Config{
		Addr: m.Addr, User: m.User, Password: string(m.Password), Database: m.Database,
		TLS: milvus.TLS{
			Enabled: m.TLS.Enabled, CAFile: m.TLS.CAFile, ServerName: m.TLS.ServerName,
			CertFile: m.TLS.CertFile, KeyFile: m.TLS.KeyFile,
		},
		Fingerprint: embedder.Fingerprint(), Dim: embedder.Dim(), Prefix: m.Prefix, Exact: m.Exact,
	}
}
