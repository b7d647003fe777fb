package main

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"mneme/configs"
)

// logStart logs that a server starts, and the settings that differ from the defaults, with
// secrets hidden.
func logStart(ctx context.Context, log *slog.Logger, config configs.Config, settings []configs.Setting) {
	b := thisBuild()
	log.InfoContext(ctx, "starting", "version", b.Version, "revision", b.Revision, "go", b.Go, "platform", b.Platform, "pid", os.Getpid())
	var changed []any
	for _, s := range settings {
		if s.Source != configs.FromDefault {
			changed = append(changed, slog.String(s.Key, s.Text()))
		}
	}
	log.InfoContext(ctx, "settings in force", "data_dir", config.DataDir, "storage", config.Storage, "vector", config.Vector, "embedder", config.Embedder,
		"addr", config.Addr, slog.Group("changed", changed...))
}

// logReady logs the addresses of a server, and warns if its traffic can be read on the
// network.
func logReady(ctx context.Context, log *slog.Logger, config configs.Config, listening net.Addr, began time.Time) error {
	addresses, err := urlsOf(config, listening)
	if err != nil {
		return err
	}
	if isExposed(config, listening) {
		log.WarnContext(ctx, "the server can be reached from other machines without TLS: tokens and memories can be read on the way; set tls.cert and tls.key, or listen on 127.0.0.1 behind a proxy with TLS and set public_url",
			"addresses", addresses)
	}
	log.InfoContext(ctx, "ready", "addresses", addresses, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// isExposed reports whether other machines can reach a server without TLS. A server with
// an https public URL is behind a proxy.
func isExposed(config configs.Config, listening net.Addr) bool {
	tcp, ok := listening.(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback() && config.TLS.Cert == "" && !strings.HasPrefix(strings.ToLower(config.PublicURL), "https://")
}

// urlsOf returns the URLs at which a server can be reached, first from this machine. A
// server that listens on all addresses also has the URLs of the machine's interfaces.
func urlsOf(config configs.Config, listening net.Addr) ([]string, error) {
	if path, ok := config.Socket(); ok {
		return []string{socketURL(path)}, nil
	}
	first, err := urlOf(listening.String(), config.TLS.Cert != "")
	if err != nil {
		return nil, err
	}
	urls := []string{first}
	tcp, ok := listening.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return urls, nil
	}
	base, err := url.Parse(first)
	if err != nil {
		return nil, err
	}
	interfaces, _ := net.InterfaceAddrs() // without them the first URL is still right
	for _, one := range interfaces {
		if network, ok := one.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			urls = append(urls, base.Scheme+"://"+net.JoinHostPort(network.IP.String(), base.Port()))
		}
	}
	return urls, nil
}
