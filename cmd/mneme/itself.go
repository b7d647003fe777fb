package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"

	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/configs"
)

// itself is the server whose readiness is requested.
type itself struct {
	address string       // a URL
	http    *http.Client // nil: derived from the address
}

// socketURL returns the URL of a Unix socket.
func socketURL(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return (&url.URL{Scheme: "unix", Path: path}).String()
}

// ownServer returns the server of a configuration, on this machine.
func ownServer(config configs.Config) (itself, error) {
	if path, ok := config.Socket(); ok {
		return itself{address: socketURL(path)}, nil
	}
	address, err := urlOf(config.Addr, config.TLS.Cert != "")
	if err != nil || config.TLS.Cert == "" {
		return itself{address: address}, err
	}
	pinned, err := pinnedTo(config.TLS)
	return itself{address: address, http: pinned}, err
}

// errOtherCertificate reports that a server has a certificate other than the file's.
var errOtherCertificate = errors.New("the server does not have the certificate of tls.cert")

// pinnedTo returns an HTTP client that accepts only the certificate in the server's own
// files, whatever its names: certificates seldom include the loopback address.
func pinnedTo(files configs.TLS) (*http.Client, error) {
	own, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection is stricter
		VerifyConnection: func(c tls.ConnectionState) error {
			if len(c.PeerCertificates) == 0 || !bytes.Equal(c.PeerCertificates[0].Raw, own.Certificate[0]) {
				return errOtherCertificate
			}
			return nil
		},
	}}}, nil
}

// ready requests the server's readiness. host is the server's name in errors.
func (s itself) ready(ctx context.Context) (host string, response *http.Response, err error) {
	base, err := url.Parse(s.address)
	if err != nil {
		return "", nil, usageError{client.ErrAddress}
	}
	address, host, caller := s.address, base.Host, s.http
	if base.Scheme == "unix" {
		address, host, caller = "http://localhost", base.Path, client.OverSocket(base.Path)
	}
	if caller == nil {
		caller = http.DefaultClient
	}
	// The generated client also returns the body of a 503.
	calls, err := api.NewClient(address, api.WithHTTPClient(caller))
	if err != nil {
		return "", nil, usageError{client.ErrAddress}
	}
	response, err = calls.Readyz(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("server %s: %w", host, withoutURL(err))
	}
	return host, response, nil
}
