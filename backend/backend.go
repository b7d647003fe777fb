// Package backend composes mneme from its configuration. It is the one place
// that chooses the storage, the vector index and the embedder: adding one is a
// package of its own and a case here.
package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"mneme/configs"
	"mneme/memory"
)

// Instance is a Service with the storage it runs over. Close it after use.
type Instance struct {
	*memory.Service
	Storage memory.Storage
}

// Open opens the storage, the vector index and the embedder that config names,
// and the Service over them. A configuration that names no usable part is a
// *ConfigError.
func Open(ctx context.Context, config configs.Config, log *slog.Logger) (*Instance, error) {
	models, err := OpenModels(config, log)
	if err != nil {
		return nil, err
	}
	return OpenWith(ctx, config, log, models)
}

// OpenRows opens the Service without a model, for work that needs no vectors.
func OpenRows(ctx context.Context, config configs.Config, log *slog.Logger) (*Instance, error) {
	return OpenWith(ctx, config, log, nil)
}

// OpenWith opens the Service with the given models, the preferred one first.
func OpenWith(ctx context.Context, config configs.Config, log *slog.Logger, models []memory.Model) (*Instance, error) {
	storage, err := openStorage(ctx, config, log)
	if err != nil {
		return nil, err
	}
	service, err := memory.New(ctx, storage, Options(config, log, models))
	if err != nil {
		return nil, errors.Join(err, storage.Close())
	}
	return &Instance{Service: service, Storage: storage}, nil
}

// Close closes the vector indexes and then the storage.
func (i *Instance) Close() error { return errors.Join(i.Service.Close(), i.Storage.Close()) }

// Options returns the Service's options as configured.
func Options(config configs.Config, log *slog.Logger, models []memory.Model) memory.Options {
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

// MakeDataDir creates the data folder if it is missing, open to its owner only.
func MakeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}
