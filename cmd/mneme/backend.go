package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"mneme/configs"
	"mneme/embed"
	"mneme/embed/e5"
	"mneme/embed/openai"
	"mneme/memory"
	"mneme/storage/postgres"
	"mneme/storage/sqlite"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus"
)

// This file is the one place that chooses backends. Adding one is a folder of
// its own and a line here.

// databaseFile is the SQLite database's name in the data folder.
const databaseFile = "mneme.db"

// opened is a Service with what must be closed after it.
type opened struct {
	*memory.Service
	storage memory.Storage
}

// Close ends the connections of the vector indexes and releases the database.
func (o *opened) Close() error { return errors.Join(o.Service.Close(), o.storage.Close()) }

// closing adds the error of Close to a function's own.
func closing(o *opened, err *error) { *err = errors.Join(*err, o.Close()) }

// open opens the Service with its models.
func open(ctx context.Context, config configs.Config, log *slog.Logger) (*opened, error) {
	models, err := openModels(config, log)
	if err != nil {
		return nil, err
	}
	return openWith(ctx, config, log, models)
}

// openRows opens the Service without a model: for what needs no vectors.
func openRows(ctx context.Context, config configs.Config, log *slog.Logger) (*opened, error) {
	return openWith(ctx, config, log, nil)
}

func openWith(ctx context.Context, config configs.Config, log *slog.Logger, models []memory.Model) (*opened, error) {
	storage, err := openStorage(ctx, config, log)
	if err != nil {
		return nil, err
	}
	service, err := memory.New(ctx, storage, serviceOptions(config, log, models))
	if err != nil {
		return nil, errors.Join(err, storage.Close())
	}
	return &opened{Service: service, storage: storage}, nil
}

func serviceOptions(config configs.Config, log *slog.Logger, models []memory.Model) memory.Options {
	retention := config.Limits.Retention
	if retention == 0 {
		retention = -1 // the Service takes 0 for its default
	}
	return memory.Options{
		Limits: memory.Limits{
			Value: config.Limits.ValueBytes, Keys: config.Limits.Keys, Bytes: config.Limits.Bytes, Retention: retention,
		},
		Models:       models,
		VectorBudget: config.Search.VectorBudget,
		Log:          log,
	}
}

// openStorage opens what keeps the rows.
func openStorage(ctx context.Context, config configs.Config, log *slog.Logger) (memory.Storage, error) {
	switch config.Storage {
	case "sqlite":
		if err := makeDataDir(config.DataDir); err != nil {
			return nil, err
		}
		storage, err := sqlite.Open(ctx, filepath.Join(config.DataDir, databaseFile))
		if err != nil {
			return nil, err
		}
		return storage, nil
	case "postgres":
		if config.Postgres.DSN == "" {
			return nil, usageError{errors.New("storage postgres needs postgres.dsn (MNEME_POSTGRES_DSN)")}
		}
		storage, err := postgres.Open(ctx, string(config.Postgres.DSN), postgres.Options{Log: log})
		if err != nil {
			return nil, err
		}
		return storage, nil
	default:
		return nil, usageError{fmt.Errorf("storage %s is not known: sqlite or postgres", config.Storage)}
	}
}

// openModels opens the configured embedder, and the built-in one after it, so
// that the vectors of a new data folder go on serving while another model's
// are made.
func openModels(config configs.Config, log *slog.Logger) ([]memory.Model, error) {
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
	models := make([]memory.Model, len(embedders))
	for i, embedder := range embedders {
		if models[i], err = withIndex(config, embedder, log); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// openEmbedder opens the configured embedder alone.
func openEmbedder(config configs.Config) (embed.Embedder, error) {
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
		return nil, usageError{err}
	}
	return embedder, nil
}

// withIndex pairs an embedder with the vector index of what it makes.
func withIndex(config configs.Config, embedder embed.Embedder, log *slog.Logger) (memory.Model, error) {
	switch config.Vector {
	case "flat":
		return memory.Model{
			Embedder: embedder,
			Open:     func(context.Context) (vector.Index, error) { return flat.New(embedder.Dim()), nil },
			Local:    true,
		}, nil
	case "milvus":
		if config.Milvus.Addr == "" {
			return memory.Model{}, usageError{errors.New("vector milvus needs milvus.addr (MNEME_MILVUS_ADDR)")}
		}
		return memory.Model{
			Embedder: embedder,
			Open: func(ctx context.Context) (vector.Index, error) {
				return milvus.Open(ctx, milvusConfig(config.Milvus, embedder), log)
			},
		}, nil
	default:
		return memory.Model{}, usageError{fmt.Errorf("vector index %s is not known: flat or milvus", config.Vector)}
	}
}

func milvusConfig(m configs.Milvus, embedder embed.Embedder) milvus.Config {
	return milvus.Config{
		Addr: m.Addr, User: m.User, Password: string(m.Password), Database: m.Database,
		TLS: milvus.TLS{
			Enabled: m.TLS.Enabled, CAFile: m.TLS.CAFile, ServerName: m.TLS.ServerName,
			CertFile: m.TLS.CertFile, KeyFile: m.TLS.KeyFile,
		},
		Fingerprint: embedder.Fingerprint(), Dim: embedder.Dim(), Prefix: m.Prefix, Exact: m.Exact,
	}
}

// makeDataDir makes the data folder, open to its owner alone.
func makeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}
