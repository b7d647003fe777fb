package compose

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"mneme/configs"
	"mneme/embed"
	"mneme/embed/e5"
	"mneme/indexer"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus"
)

// Models are embedders with the indexes of their vectors, the configured ones first. Main
// embeds English text, or text of every language; Multilingual embeds the text that an
// English Main cannot read, and is empty otherwise.
type Models struct{ Main, Multilingual []indexer.Model }

// OpenModels opens the configured embedder, followed by the others that run in this
// process: that of e5.weights, then the built-in one with and without token codes. A
// database may have vectors of any of them: that embedder answers searches while a reindex
// embeds the entries with the configured one. The built-in model always comes with the
// multilingual one, even if it is not the configured embedder.
func OpenModels(config configs.Config, log *slog.Logger) (Models, error) {
	var embedders []embed.Embedder
	if r := remoteOf(config); r != nil {
		remote, err := r.open(config)
		if err != nil {
			return Models{}, err
		}
		embedders = append(embedders, remote)
	}
	english := make(map[string]bool) // the fingerprints of the built-in English model
	for _, weights := range slices.Compact([]string{config.E5.Weights, ""}) {
		variants, err := openE5(weights, config.E5.Codes)
		if err != nil {
			return Models{}, err
		}
		for _, e := range variants {
			if weights == "" {
				for _, fingerprint := range append(e.Predecessors(), e.Fingerprint()) {
					english[fingerprint] = true
				}
			}
			if !slices.ContainsFunc(embedders, func(other embed.Embedder) bool { return other.Fingerprint() == e.Fingerprint() }) {
				embedders = append(embedders, e)
			}
		}
	}
	main, err := newModels(config, embedders, log)
	if err != nil {
		return Models{}, err
	}
	earlier, err := predecessors(config, embedders, log)
	if err != nil {
		return Models{}, err
	}
	main = append(main, earlier...)
	for i := range main {
		main[i].EnglishOnly = english[main[i].Embedder.Fingerprint()]
	}
	second, err := openMultilingual(config)
	if err != nil {
		return Models{}, err
	}
	multilingual, err := newModels(config, second, log)
	return Models{main, multilingual}, err
}

// predecessors returns models for the earlier versions of the encoders among embedders,
// whose vectors a database may still have. Vectors of earlier versions of the configured
// encoder, the first, are replaced by new ones (Renew).
func predecessors(config configs.Config, embedders []embed.Embedder, log *slog.Logger) (models []indexer.Model, err error) {
	for i, embedder := range embedders {
		e, ok := embedder.(*e5.Encoder)
		if !ok {
			continue
		}
		for _, fingerprint := range e.Predecessors() {
			if strings.Contains(fingerprint, "+") != e.HasCodes() {
				continue // of the other variant
			}
			model, err := NewModel(config, earlier{e, fingerprint}, log)
			if err != nil {
				return nil, err
			}
			model.Renew = i == 0
			models = append(models, model)
		}
	}
	return models, nil
}

// earlier is an encoder with the fingerprint of one of its earlier versions.
type earlier struct {
	*e5.Encoder
	fingerprint string
}

// Fingerprint implements embed.Embedder.
func (e earlier) Fingerprint() string { return e.fingerprint }

// builtIn reports whether the configured embedder is the built-in one.
func builtIn(config configs.Config) bool { return config.Embedder == "e5" && config.E5.Weights == "" }

// openMultilingual opens the built-in model for text that the English one cannot read, with
// and without token codes; the configured variant is the first.
func openMultilingual(config configs.Config) (variants []embed.Embedder, err error) {
	e, err := e5.New(e5.Options{Multilingual: true, Lazy: true})
	if err != nil {
		return nil, err
	}
	encoders, err := withAndWithoutCodes(e, config.E5.Codes)
	for _, e := range encoders {
		variants = append(variants, e)
	}
	return variants, err
}

// newModels pairs embedders, the configured one first, with the configured vector index.
func newModels(config configs.Config, embedders []embed.Embedder, log *slog.Logger) ([]indexer.Model, error) {
	models := make([]indexer.Model, len(embedders))
	for i, embedder := range embedders {
		var err error
		if models[i], err = NewModel(config, embedder, log); err != nil {
			return nil, err
		}
	}
	if config.Embedder == "e5" && len(models) > 1 && hasCodes(embedders[0]) {
		models[1].Lacks = "ranking by token codes" // the same encoder without them
	}
	return models, nil
}

// withAndWithoutCodes returns the variants of an encoder, the configured one first. Weights
// without a projection cannot make token codes, and have one variant.
func withAndWithoutCodes(e *e5.Encoder, codes bool) ([]*e5.Encoder, error) {
	coded, err := e.WithCodes()
	switch {
	case errors.Is(err, e5.ErrNoProjection):
		return []*e5.Encoder{e}, nil
	case err != nil:
		return nil, err
	case codes:
		return []*e5.Encoder{coded, e}, nil
	default:
		return []*e5.Encoder{e, coded}, nil
	}
}

// hasCodes reports whether an embedder is an encoder that makes token codes.
func hasCodes(embedder embed.Embedder) bool {
	e, ok := embedder.(*e5.Encoder)
	return ok && e.HasCodes()
}

// Embedders are one for English text or for all text (Main), and one for the text that an
// English Main cannot read, or nil (Multilingual).
type Embedders struct{ Main, Multilingual embed.Embedder }

// OpenEmbedders opens the configured embedder and, if that is the built-in one, the
// multilingual one.
func OpenEmbedders(config configs.Config) (e Embedders, err error) {
	if e.Main, err = OpenEmbedder(config); err != nil || !builtIn(config) {
		return e, err
	}
	variants, err := openMultilingual(config)
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
	if r := remoteOf(config); r != nil {
		return r.open(config)
	}
	if config.E5.Weights == "" {
		return e5.New(e5.Options{Codes: config.E5.Codes})
	}
	variants, err := openE5(config.E5.Weights, config.E5.Codes)
	if err != nil {
		return nil, err
	}
	return variants[0], nil
}

// maxWeights bounds a weights file, in bytes. It is read into memory.
const maxWeights = 1 << 30

// openE5 opens the model of a weights file, or the built-in one, with and without
// token codes; the configured variant is the first.
func openE5(path string, codes bool) ([]*e5.Encoder, error) {
	if path == "" {
		e, err := e5.New(e5.Options{Lazy: true})
		if err != nil {
			return nil, err
		}
		return withAndWithoutCodes(e, codes)
	}
	file, err := readWeights(path)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("e5.weights: %w", err)}
	}
	encoder, err := e5.New(e5.Options{Weights: file})
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("e5.weights: %s: %w", path, err)}
	}
	variants, err := withAndWithoutCodes(encoder, codes)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("e5.weights: %s: %w", path, err)}
	}
	return variants, nil
}

func readWeights(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxWeights {
		return nil, fmt.Errorf("%s is not a file of up to %d bytes", path, maxWeights)
	}
	return os.ReadFile(path)
}

// NewModel pairs an embedder with the configured vector index.
func NewModel(config configs.Config, embedder embed.Embedder, log *slog.Logger) (indexer.Model, error) {
	label := sentUpTo(config, embedder)
	switch config.Vector {
	case "flat":
		return indexer.Model{
			Embedder: embedder, MaxLabel: label,
			Open:  func(context.Context) (vector.Index, error) { return flat.New(embedder.Dim()), nil },
			Local: true,
		}, nil
	case "milvus":
		if config.Milvus.Addr == "" {
			return indexer.Model{}, &ConfigError{errors.New("vector milvus needs milvus.addr (MNEME_MILVUS_ADDR)")}
		}
		return indexer.Model{
			Embedder: embedder, MaxLabel: label,
			Open: func(ctx context.Context) (vector.Index, error) {
				return milvus.Open(ctx, MilvusConfig(config.Milvus, embedder), log)
			},
			Drop: func(ctx context.Context, fingerprint string) error {
				of := MilvusConfig(config.Milvus, embedder)
				of.Fingerprint = fingerprint
				return milvus.Drop(ctx, of)
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
