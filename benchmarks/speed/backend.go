package speed

import (
	"errors"
	"slices"
	"strings"

	"mneme/configs"
)

// Backend is a storage with a vector index, as configs.Config names them.
type Backend struct{ Storage, Vector string }

// String returns STORAGE+VECTOR.
func (b Backend) String() string { return b.Storage + "+" + b.Vector }

var errBackend = errors.New("a backend must be sqlite or postgres, a plus sign, and flat or milvus, such as postgres+milvus")

// ParseBackend parses the output of String.
func ParseBackend(name string) (Backend, error) {
	storage, vector, _ := strings.Cut(name, "+")
	if !slices.Contains([]string{"sqlite", "postgres"}, storage) || !slices.Contains([]string{"flat", "milvus"}, vector) {
		return Backend{}, errBackend
	}
	return Backend{storage, vector}, nil
}

// ConfiguredBackends returns the embedded backend and, if config names servers,
// the backend on those servers.
func ConfiguredBackends(config configs.Config) []Backend {
	embedded := Backend{"sqlite", "flat"}
	served := embedded
	if config.Postgres.DSN != "" {
		served.Storage = "postgres"
	}
	if config.Milvus.Addr != "" {
		served.Vector = "milvus"
	}
	return slices.Compact([]Backend{embedded, served})
}
