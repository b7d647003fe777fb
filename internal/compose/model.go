package compose

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"mneme/configs"
	"mneme/embed"
	"mneme/embed/e5"
	"mneme/embed/openai"
	"mneme/indexer"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus"
)

// Models are embedders with the indexes of their vectors, the configured ones first:
// those of English or of everything, and those of what the former cannot read.
type Models struct{ Main, Multilingual []indexer.Model }

// OpenModels opens the configured embedder and after it the others in the process:
// that of e5.weights, then the built-in one with and without token codes. Whichever
// made the vectors of a database keeps serving while a reindex embeds the entries
// with the configured embedder. The built-in model has a multilingual one beside it.
func OpenModels(config configs.Config, log *slog.Logger) (Models, error) {
	var embedders []embed.Embedder
	if config.Embedder == "openai" {
		remote, err := openOpenAI(config)
		if err != nil {
			return Models{}, err
		}
		embedders = append(embedders, remote)
	}
	for _, weights := range slices.Compact([]string{config.E5.Weights, ""}) {
		e, err := openE5(weights)
		if err != nil {
			return Models{}, err
		}
		variants := []*e5.Encoder{e}
		if weights == "" {
			if variants, err = withCodes(e, config.E5.Codes); err != nil {
				return Models{}, err
			}
		}
		for _, e := range variants {
			if !slices.ContainsFunc(embedders, func(other embed.Embedder) bool { return other.Fingerprint() == e.Fingerprint() }) {
				embedders = append(embedders, e)
			}
		}
	}
	var models Models
	var err error
	if models.Main, err = newModels(config, embedders, log); err != nil {
		return Models{}, err
	}
	if !builtIn(config) {
		return models, nil
	}
	second, err := openMultilingual()
	if err != nil {
		return Models{}, err
	}
	variants, err := withCodes(second, config.E5.Codes)
	if err != nil {
		return Models{}, err
	}
	embedders = nil
	for _, e := range variants {
		embedders = append(embedders, e)
	}
	if models.Multilingual, err = newModels(config, embedders, log); err != nil {
		return Models{}, err
	}
	for i := range models.Main {
		models.Main[i].EnglishOnly = true
	}
	if config.E5.Codes {
		models.Main[1].Lacks = "ranking by token codes" // the same encoder without them
		models.Multilingual[1].Lacks = models.Main[1].Lacks
	}
	return models, nil
}

// openMultilingual opens the built-in model of what the English one cannot read.
func openMultilingual() (*e5.Encoder, error) { return e5.New(e5.Options{Multilingual: true, Lazy: true}) }

// builtIn reports whether the configured embedder is the built-in one.
func builtIn(config configs.Config) bool { return config.Embedder == "e5" && config.E5.Weights == "" }

// withCodes returns an encoder with and without token codes, those with codes first if
// they are wanted.
func withCodes(e *e5.Encoder, wanted bool) ([]*e5.Encoder, error) {
	coded, err := e.WithCodes()
	if err != nil {
		return nil, err
	}
	if wanted {
		return []*e5.Encoder{coded, e}, nil
	}
	return []*e5.Encoder{e, coded}, nil
}

// newModels pairs embedders with the configured vector index.
func newModels(config configs.Config, embedders []embed.Embedder, log *slog.Logger) ([]indexer.Model, error) {
	models := make([]indexer.Model, len(embedders))
	for i, embedder := range embedders {
		var err error
		if models[i], err = NewModel(config, embedder, log); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// Embedders are one of English or of everything, and one of what it cannot read, which may
// be nil.
type Embedders struct{ Main, Multilingual embed.Embedder }

// OpenEmbedders opens the configured embedder, and the one beside it.
func OpenEmbedders(config configs.Config) (e Embedders, err error) {
	if e.Main, err = OpenEmbedder(config); err != nil || !builtIn(config) {
		return e, err
	}
	second, err := openMultilingual()
	if err != nil {
		return e, err
	}
	variants, err := withCodes(second, config.E5.Codes)
	if err != nil {
		return e, err
	}
	e.Multilingual = variants[0]
	return e, nil
}

// NewModels pairs embedders with the configured vector index.
func NewModels(config configs.Config, embedders Embedders, log *slog.Logger) (models Models, err error) {
	if models.Main, err = newModels(config, []embed.Embedder{embedders.Main}, log); err != nil || embedders.Multilingual == nil {
		return models, err
	}
	models.Main[0].EnglishOnly = true
	models.Multilingual, err = newModels(config, []embed.Embedder{embedders.Multilingual}, log)
	return models, err
}

// OpenEmbedder opens the configured embedder.
func OpenEmbedder(config configs.Config) (embed.Embedder, error) {
	if config.Embedder == "openai" {
		return openOpenAI(config)
	}
	if config.E5.Weights == "" {
		return e5.New(e5.Options{Codes: config.E5.Codes})
	}
	return openE5(config.E5.Weights)
}

// maxWeights bounds a weights file, in bytes. It is read into memory.
const maxWeights = 1 << 30

// openE5 opens the model of a weights file, or the built-in one.
func openE5(path string) (*e5.Encoder, error) {
	if path == "" {
		return e5.New(e5.Options{Lazy: true})
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("e5.weights: %w", err)}
	}
	if !info.Mode().IsRegular() || info.Size() > maxWeights {
		return nil, &ConfigError{fmt.Errorf("e5.weights: %s is not a file of up to %d bytes", path, maxWeights)}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("e5.weights: %w", err)}
	}
	encoder, err := e5.New(e5.Options{Weights: file})
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("e5.weights: %s: %w", path, err)}
	}
	return encoder, nil
}

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
		Fingerprint: embedder.Fingerprint(), Dim: embedder.Dim(), Prefix: m.Prefix,
	}
}
