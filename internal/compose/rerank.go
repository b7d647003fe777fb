package compose

import (
	"mneme/configs"
	"mneme/embed/rerank"
)

// OpenReranker opens the configured reranking service; nil if there is none. An invalid
// configuration is a *ConfigError. It does not call the service.
func OpenReranker(config configs.Rerank) (*rerank.Client, error) {
	if config.URL == "" {
		return nil, nil
	}
	client, err := rerank.New(rerank.Config{
		URL: config.URL, Shape: rerank.Shape(config.Shape), Model: config.Model, Key: string(config.Key), Scores: rerank.Scores(config.Scores),
	})
	if err != nil {
		return nil, &ConfigError{err}
	}
	return client, nil
}
