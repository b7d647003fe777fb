package compose

import (
	"mneme/acl"
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

// labelOf parses the configured highest label of what a service is sent. An invalid label
// counts as PUBLIC, but configs.Config.Check has rejected it before.
func labelOf(maxLabel string) acl.Label {
	label, err := acl.ParseLabel(maxLabel)
	if err != nil {
		return acl.Public
	}
	return label
}
