package postgres

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/faulttest"
)

// changed returns a DSN after a change.
func changed(t *testing.T, dsn string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal("the DSN is not a URL")
	}
	change(u)
	return u.String()
}

func TestErrorsOfOpenSayWhatToDo(t *testing.T) {
	dsn, other := postgrestest.Database(t), postgrestest.Database(t)
	server := postgrestest.DSN(t)
	name := func(dsn string) (name string) {
		changed(t, dsn, func(u *url.URL) { name = strings.TrimPrefix(u.Path, "/") })
		return name
	}
	silent, err := faulttest.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	full, poor := postgrestest.Database(t), postgrestest.Database(t)
	postgrestest.Administer(t, server, "ALTER ROLE "+name(full)+" CONNECTION LIMIT 0",
		"ALTER DATABASE "+name(poor)+" OWNER TO CURRENT_USER", "REVOKE ALL ON DATABASE "+name(poor)+" FROM PUBLIC",
		"GRANT CONNECT ON DATABASE "+name(poor)+" TO "+name(poor))
	for what, test := range map[string]struct{ dsn, want string }{
		"refused":     {changed(t, dsn, func(u *url.URL) { u.Host = silent }), "nothing answers there: start PostgreSQL"},
		"no database": {changed(t, dsn, func(u *url.URL) { u.Path = "/" + name(dsn) + "_none" }), "there is no such database: create it"},
		"full":        {full, "the server has no connection left: raise"},
		"no right":    {poor, "the role lacks a permission"},
		"no TLS":      {changed(t, other, func(u *url.URL) { u.RawQuery = "sslmode=require" }), "the server has no TLS"},
		"no socket":   {"host=" + filepath.Join(t.TempDir(), "none") + " dbname=d user=u", "there is no such socket"},
	} {
		_, err := Open(t.Context(), test.dsn, Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestReasonsOfFailedConnections(t *testing.T) {
	for want, err := range map[string]error{
		"the host of the DSN is unknown":         &net.OpError{Op: "dial", Err: &net.DNSError{Name: "hush", IsNotFound: true}},
		"the server's certificate is not":        &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		"the server does not answer in time":     &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded},
		"the server has no TLS":                  errors.New("hush: server refused TLS connection"),
		"there is no such socket or certificate": fmt.Errorf("hush: %w", os.ErrNotExist),
		"the connection failed":                  errors.New("hush"),
	} {
		got := interpret(t.Context(), "connect", fmt.Errorf("hush: %w", err))
		if !strings.Contains(got.Error(), want) || strings.Contains(got.Error(), "hush") || !errors.Is(got, memory.ErrUnavailable) {
			t.Errorf("%s: %v", want, got)
		}
	}
}
