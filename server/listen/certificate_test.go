package listen_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mneme/server/listen"
	"mneme/server/servertest"
)

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestACertificateIsReadAgainWhenItsFilesChange(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	var log bytes.Buffer
	cert, key := servertest.Certify(t, dir, "old.example", time.Hour)
	c, err := listen.OpenCertificate(cert, key, func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	serving := func() string {
		now = now.Add(time.Second)
		return c.Current().Leaf.DNSNames[0]
	}
	if got := serving(); got != "old.example" {
		t.Fatal(got)
	}
	oldKey, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	servertest.Certify(t, dir, "new.example", time.Hour)
	newKey, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Current().Leaf.DNSNames[0]; got != "old.example" {
		t.Errorf("the files are read at each connection: %s", got)
	}
	// The certificate is rewritten, but its key is not yet.
	write(t, key, oldKey)
	for range 3 {
		if got := serving(); got != "old.example" {
			t.Errorf("serves %s with a key of another", got)
		}
	}
	if got := strings.Count(log.String(), "level=ERROR"); got != 1 {
		t.Errorf("%d errors:\n%s", got, log.String())
	}
	write(t, key, newKey)
	if got := serving(); got != "new.example" {
		t.Errorf("serves %s", got)
	}
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	if got := serving(); got != "new.example" {
		t.Errorf("serves %s without a file", got)
	}
	if strings.Contains(log.String(), "PRIVATE") {
		t.Error("the log holds a key")
	}
}

func TestFilesThatAreNoCertificateAreAnError(t *testing.T) {
	dir := t.TempDir()
	cert, key := servertest.Certify(t, dir, "a.example", time.Hour)
	secret := filepath.Join(dir, "secret.pem")
	write(t, secret, []byte("secret text"))
	for _, files := range [][2]string{{cert, secret}, {secret, key}, {cert, filepath.Join(dir, "none")}, {key, cert}, {dir, key}} {
		_, err := listen.OpenCertificate(files[0], files[1], time.Now, slog.New(slog.DiscardHandler))
		if err == nil || strings.Contains(err.Error(), "secret text") {
			t.Errorf("%v: %v", files, err)
		}
	}
}

// A connection that is open when the certificate changes stays open, and new
// connections use the new certificate. Old versions of TLS are refused.
func TestConnectionsOutliveTheirCertificate(t *testing.T) {
	dir := t.TempDir()
	var later atomic.Int64
	cert, key := servertest.Certify(t, dir, "old.example", time.Hour)
	c, err := listen.OpenCertificate(cert, key, func() time.Time { return time.Now().Add(time.Duration(later.Load())) }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	inner, err := listen.Open(t.Context(), "127.0.0.1:0", 0)
	if err != nil {
		t.Fatal(err)
	}
	l := tls.NewListener(inner, c.Config())
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func(conn net.Conn) {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}(conn)
		}
	}()
	dial := func(config *tls.Config) (*tls.Conn, error) {
		config.InsecureSkipVerify = true //nolint:gosec // the test looks at the certificate itself
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			return nil, err
		}
		encrypted, _ := conn.(*tls.Conn)
		return encrypted, nil
	}
	said := func(conn *tls.Conn) string {
		if _, err := conn.Write([]byte("tea")); err != nil {
			return err.Error()
		}
		heard := make([]byte, 3)
		if _, err := io.ReadFull(conn, heard); err != nil {
			return err.Error()
		}
		return string(heard) + " " + conn.ConnectionState().PeerCertificates[0].DNSNames[0]
	}
	old, err := dial(new(tls.Config))
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if got := said(old); got != "tea old.example" {
		t.Fatal(got)
	}
	servertest.Certify(t, dir, "new.example", time.Hour)
	later.Store(int64(time.Minute))
	fresh, err := dial(new(tls.Config))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if a, b := said(fresh), said(old); a != "tea new.example" || b != "tea old.example" {
		t.Errorf("a new connection says %s, the open one %s", a, b)
	}
	if conn, err := dial(&tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}); err == nil { //nolint:gosec // it must fail
		conn.Close()
		t.Error("TLS 1.1 is spoken")
	}
}
