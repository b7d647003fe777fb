package compose_test

import (
	"testing"

	"mneme/cmd/compose"
	"mneme/configs"
)

func TestEveryEmbedderOfTheConfigurationIsComposed(t *testing.T) {
	for _, name := range configs.Embedders {
		config := configs.Default()
		config.Embedder = name
		label, check, remote := compose.RemoteEmbedder(config)
		if remote != (name != "e5") || remote && (label == "" || check == "") {
			t.Errorf("%s: label %q, check %q, remote %t", name, label, check, remote)
		}
	}
}
