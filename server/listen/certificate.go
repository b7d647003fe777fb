package listen

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkEvery is the minimum interval between reads of the certificate files. A new
// connection triggers the read.
const checkEvery = time.Second

// Certificate is a certificate in two PEM files, which are read again when they
// change. It is safe for concurrent use.
type Certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger

	mu        sync.Mutex
	checked   time.Time
	cert, key []byte // as last read, usable or not
	serving   *tls.Certificate
}

// OpenCertificate reads a certificate with its chain and its key. Errors name the
// files, and contain nothing from them. now is the clock.
func OpenCertificate(certFile, keyFile string, now func() time.Time, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: now, log: log, checked: now()}
	if _, err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// Config returns the configuration of a server with the certificate: TLS 1.2 and 1.3
// with Go's cipher suites, and HTTP/2 and HTTP/1.1.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.Current(), nil },
	}
}

// Current returns the certificate in the files. While the files are unusable, for
// example if only one has been rewritten, it returns the previous certificate.
func (c *Certificate) Current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= checkEvery || now.Before(c.checked) {
		c.checked = now
		changed, err := c.read()
		switch {
		case err != nil && changed:
			c.log.Error("the changed certificate cannot be used; the previous one stays in use", "error", err.Error())
		case changed:
			c.log.Info("the certificate was read again", "expires_at", c.serving.Leaf.NotAfter.UTC())
		}
	}
	return c.serving
}

// read reads the files. changed reports whether they differ from those read before.
func (c *Certificate) read() (changed bool, err error) {
	cert, certErr := os.ReadFile(c.certFile)
	key, keyErr := os.ReadFile(c.keyFile)
	changed = !bytes.Equal(cert, c.cert) || !bytes.Equal(key, c.key)
	c.cert, c.key = cert, key
	if err := errors.Join(certErr, keyErr); err != nil {
		return changed, fmt.Errorf("tls: %w", err)
	}
	if !changed {
		return false, nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return changed, fmt.Errorf("tls: %s and %s: %w", c.certFile, c.keyFile, err)
	}
	c.serving = &pair
	return changed, nil
}
