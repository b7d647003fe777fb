package milvus

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// Config configures the connection and the collection. Zero fields other than
// Addr, Fingerprint and Dim take their defaults.
type Config struct {
	Addr     string // host:port
	User     string
	Password string
	Database string // a Milvus database; empty: the default one
	TLS      TLS

	// Fingerprint identifies the embedder that made the vectors. Each
	// fingerprint has its own collection.
	Fingerprint string
	// Dim is the vectors' length, 2 to 32,768.
	Dim int
	// Prefix is the beginning of the collection's name, so that several services can share a
	// Milvus server. It is a letter or _, then letters, digits or _. The default is "mneme".
	Prefix string

	// Exact stores the vectors without a graph (Milvus's FLAT index) and
	// compares a query with every vector of the scope. It cannot change for
	// an existing collection: drop the collection and index the rows again.
	Exact bool
	HNSW  HNSW // used unless Exact

	// Partitions is the number of partitions of a new collection; default 64. Stores are
	// assigned to partitions by hash. A search of few stores reads only their partitions.
	Partitions int64
	// Replicas is the number of copies that Milvus keeps in memory. The
	// default is 1.
	Replicas int32

	// Consistency is the consistency level of searches.
	Consistency Consistency

	Timeouts Timeouts
}

// TLS configures the security of the connection.
type TLS struct {
	Enabled bool
	// CAFile is a PEM file of trusted certificate authorities; empty: the
	// system's.
	CAFile string
	// ServerName is the name that the server's certificate must carry; empty:
	// the host of Addr.
	ServerName string
	// CertFile and KeyFile are the client's certificate and key in PEM, for
	// servers that require one.
	CertFile, KeyFile string
}

// HNSW configures the graph (Malkov and Yashunin, arXiv 1603.09320).
// docs/decisions/0008-milvus.md has the measurements behind the defaults.
type HNSW struct {
	M              int // neighbors per node, 2 to 2,048; default 32
	EfConstruction int // candidate list size while building; default 256
	Ef             int // minimum candidate list size while searching; default 1,024
}

// Consistency is the consistency level of searches.
type Consistency int

const (
	// Bounded does not wait. A search may miss the most recent writes, usually those of less
	// than half a second. This is the right level for a service, which checks hits against the
	// database anyway.
	Bounded Consistency = iota
	// Strong waits until every acknowledged write is visible: up to two of
	// Milvus's time ticks of 200 ms each.
	Strong
)

// Timeouts limit single calls in addition to the caller's context.
type Timeouts struct {
	Open   time.Duration // connecting, checking, creating and loading; default 10 s
	Search time.Duration // default 5 s
	Write  time.Duration // one request of an upsert, a delete or a list; default 30 s
}

// Limits of Milvus 2.3's proxy.
const (
	maxTopK  = 16384 // rows per search or query
	maxDim   = 32768
	maxInIDs = 1000 // ids per filter
)

// withDefaults fills in defaults and validates the result.
func (c Config) withDefaults() (Config, error) {
	if c.Prefix == "" {
		c.Prefix = "mneme"
	}
	setDefault(&c.HNSW.M, 32)
	setDefault(&c.HNSW.EfConstruction, 256)
	setDefault(&c.HNSW.Ef, 1024)
	setDefault(&c.Partitions, 64)
	setDefault(&c.Replicas, 1)
	setDefault(&c.Timeouts.Open, 10*time.Second)
	setDefault(&c.Timeouts.Search, 5*time.Second)
	setDefault(&c.Timeouts.Write, 30*time.Second)
	switch {
	case c.Addr == "":
		return c, errors.New("milvus: no address")
	case strings.ContainsAny(c.Addr, "/@?# "):
		return c, errors.New("milvus: address must be host:port; user, password and database are separate settings")
	case c.Fingerprint == "":
		return c, errors.New("milvus: no fingerprint")
	case c.Dim < 2 || c.Dim > maxDim:
		return c, fmt.Errorf("milvus: dimension %d is not in 2 to %d", c.Dim, maxDim)
	case !prefixPattern.MatchString(c.Prefix):
		return c, errors.New("milvus: prefix must be a letter or _, then up to 98 letters, digits or _")
	case c.Partitions < 1 || c.Partitions > 4096:
		return c, errors.New("milvus: partitions must be 1 to 4,096")
	case c.HNSW.M < 2 || c.HNSW.M > 2048 || c.HNSW.EfConstruction < 1 || c.HNSW.Ef < 1 || c.HNSW.Ef > 32768:
		return c, errors.New("milvus: HNSW parameters are out of range")
	}
	return c, nil
}

var prefixPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,98}$`)

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// collection returns the collection's name: the prefix and a hash of the fingerprint, which
// itself has characters that Milvus does not allow in names. The hash has 16 hex digits: the
// probability that any two of 10^4 models have the same is below 10^-11.
func (c Config) collection() string {
	sum := sha256.Sum256([]byte(c.Fingerprint))
	return c.Prefix + "_" + hex.EncodeToString(sum[:8])
}

// config reads the files and returns the client's TLS configuration.
func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("milvus: CA file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("milvus: CA file contains no PEM certificate")
		}
	}
	if t.CertFile != "" || t.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("milvus: client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
