package compose_test

import (
	"testing"

	"mneme/cmd/compose"
	"mneme/configs"
)

func TestEveryEmbedderOfTheConfigurationIsComposed(t *testing.T) {
	for _, name := range configs.Embedders {
		label, check, remote := compose.RemoteEmbedder(configs.Config{Embedder: name, OpenAI: configs.OpenAI{MaxLabel: "INTERNAL"}})
		if remote != (name != "e5") || remote && (label == "" || check == "") {
			t.Errorf("%s: label %q, check %q, remote %t", name, label, check, remote)
		}
	}
}
