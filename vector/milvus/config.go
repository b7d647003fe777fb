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

// Config says where the index is and how it is kept. Zero fields, but for
// Addr, Fingerprint and Dim, take their defaults.
type Config struct {
	Addr     string // host:port
	User     string
	Password string
	Database string // one of Milvus's; empty: its default
	TLS      TLS

	// Fingerprint names what made the vectors; each has its own collection.
	Fingerprint string
	// Dim is the vectors' length, 2 to 32,768.
	Dim int
	// Prefix begins the collection's name, so that several services can share
	// a Milvus: a letter or _, then letters, digits or _. "mneme" by default.
	Prefix string

	// Exact keeps the vectors without a graph (Milvus's FLAT) and compares a
	// query with every one of the scope. A collection keeps its kind: to
	// change it, drop the collection and fill it anew from the rows.
	Exact bool
	HNSW  HNSW // unless Exact

	// Partitions is how many parts a new collection divides its stores among,
	// by hash; 64 by default. A search of few stores reads only their parts.
	Partitions int64
	// Replicas is how many copies Milvus keeps in memory; 1 by default.
	Replicas int32

	// Consistency is what a search waits for.
	Consistency Consistency

	Timeouts Timeouts
}

// TLS is how the connection is secured.
type TLS struct {
	Enabled bool
	// CAFile is a PEM file of the authorities that are believed; empty: the
	// system's.
	CAFile string
	// ServerName is what the certificate must name; empty: Addr's host.
	ServerName string
	// CertFile and KeyFile are this client's own certificate in PEM, for
	// servers that want one.
	CertFile, KeyFile string
}

// HNSW are the graph's parameters (Malkov and Yashunin, arXiv 1603.09320).
// docs/decisions/0008-milvus.md has the measurements behind the defaults.
type HNSW struct {
	M              int // neighbours of a node, 2 to 2,048; 32 by default
	EfConstruction int // candidates kept while building; 256 by default
	Ef             int // candidates kept while searching, at least; 1,024 by default
}

// Consistency is what a search waits for before it looks.
type Consistency int

const (
	// Bounded does not wait: what was written in the last moments, usually
	// less than half a second, may not be seen yet. For serving: the rows
	// decide what is shown anyway.
	Bounded Consistency = iota
	// Strong waits until everything acknowledged before is seen: up to two
	// of Milvus's time ticks, 200 ms each.
	Strong
)

// Timeouts bound single calls, whatever the caller's context allows.
type Timeouts struct {
	Open   time.Duration // connecting, checking, creating and loading; 10 s
	Search time.Duration // 5 s
	Write  time.Duration // one request of an upsert, a delete or a list; 30 s
}

// Bounds of Milvus 2.3: common limits of its proxy.
const (
	maxTopK  = 16384 // rows of one search or query
	maxDim   = 32768
	maxInIDs = 1000 // ids in one filter
)

// withDefaults fills what was left out, or says what is wrong.
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
		return c, errors.New("milvus: the address must be host:port; user, password and database have fields of their own")
	case c.Fingerprint == "":
		return c, errors.New("milvus: no fingerprint")
	case c.Dim < 2 || c.Dim > maxDim:
		return c, fmt.Errorf("milvus: vectors of %d elements: it takes 2 to %d", c.Dim, maxDim)
	case !prefixRule.MatchString(c.Prefix):
		return c, errors.New("milvus: the prefix must be a letter or _, then up to 99 letters, digits or _")
	case c.Partitions < 1 || c.Partitions > 4096:
		return c, errors.New("milvus: partitions must be 1 to 4,096")
	case c.HNSW.M < 2 || c.HNSW.M > 2048 || c.HNSW.EfConstruction < 1 || c.HNSW.Ef < 1 || c.HNSW.Ef > 32768:
		return c, errors.New("milvus: HNSW parameters are out of range")
	}
	return c, nil
}

var prefixRule = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,98}$`)

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// collection is the name for the fingerprint's vectors. A hash, since
// Milvus's names have few characters and fingerprints many; 16 hex digits
// keep a chance of one in 10^10 that any two of 10^4 models clash.
func (c Config) collection() string {
	sum := sha256.Sum256([]byte(c.Fingerprint))
	return c.Prefix + "_" + hex.EncodeToString(sum[:8])
}

// config reads the files that TLS names.
func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("milvus: authorities: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("milvus: the file of authorities holds no certificate in PEM")
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
