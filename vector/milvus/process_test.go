//go:build unix

package milvus

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mneme/test/wait"
	"mneme/vector"
	"mneme/vector/milvus/milvustest"
)

// newServer prepares a Milvus server for this test alone.
func newServer(t *testing.T, arguments ...string) *milvustest.Server {
	t.Helper()
	s, err := milvustest.NewServer(t.TempDir(), arguments...)
	switch {
	case errors.Is(err, milvustest.ErrNoServer) && os.Getenv("CI") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func start(t *testing.T, s *milvustest.Server) {
	t.Helper()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
}

// certificate writes a self-signed certificate for loopback and its key.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, bytes []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("server.pem", "CERTIFICATE", cert), write("server.key", "PRIVATE KEY", private)
}

// This is one test for three rules, since the server takes a while to start: users are
// authenticated, connections without TLS are refused, and an index survives a crash of the
// server.
func TestAServerWithUsersAndTLSThatIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Milvus server, twice")
	}
	cert, key := certificate(t)
	p := newServer(t, "--authorization-enabled", "true", "--tls-mode", "1",
		"--server-pem-path", cert, "--server-key-path", key, "--ca-pem-path", cert)
	start(t, p)

	ctx, config := context.Background(), testConfig(p.Addr(), testDim)
	config.User, config.Password = "root", "Milvus" // the defaults of a new server
	config.TLS = TLS{Enabled: true, CAFile: cert}
	var x *Index
	wait.Until(t, "the server is up", func() (err error) {
		x, err = Open(ctx, config, quiet)
		return err
	})
	t.Cleanup(func() { _ = x.Close() })

	wrong := config
	wrong.Password = "guess"
	if _, err := Open(ctx, wrong, quiet); !errors.Is(err, ErrDenied) {
		t.Errorf("a wrong password: error %v", err)
	}
	plaintext := config
	plaintext.TLS = TLS{}
	plaintext.Timeouts.Open = 5 * time.Second
	if _, err := Open(ctx, plaintext, quiet); !errors.Is(err, ErrUnavailable) {
		t.Errorf("without TLS: error %v", err)
	}
	untrusted := config
	untrusted.TLS.CAFile = ""
	if _, err := Open(ctx, untrusted, quiet); !errors.Is(err, ErrUnavailable) {
		t.Errorf("an untrusted authority: error %v", err)
	}

	if err := x.Upsert(ctx, []vector.Record{one(1, 1, axis(0))}); err != nil {
		t.Fatal(err)
	}
	query := vector.Query{Vector: axis(0), Limit: 1}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Search(ctx, store(t, 1), query); !errors.Is(err, ErrUnavailable) {
		t.Errorf("search while the server is down: error %v", err)
	}
	if err := x.Upsert(ctx, []vector.Record{one(2, 1, axis(1))}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("upsert while the server is down: error %v", err)
	}
	start(t, p)
	wait.Until(t, "the server is up again", func() error { return x.Upsert(ctx, []vector.Record{one(2, 1, axis(1))}) })
	wait.Until(t, "the index is settled", func() error { return x.Settle(ctx) })
	wait.Until(t, "both entries are found", func() error {
		hits, err := x.Search(ctx, store(t, 1), vector.Query{Vector: axis(0), Limit: 9})
		if err == nil && len(hits) != 2 {
			err = errors.New("an entry is missing")
		}
		return err
	})
}
