package main

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"mneme/cmd/compose"
	"mneme/configs"
	files "mneme/console"
	"mneme/docs"
	"mneme/server/console"
)

// consoleTTL is the lifetime of the token that the console's link gives.
const consoleTTL = time.Hour

// openConsole returns the console, and the link that signs a visitor in once; "" if no
// link may be printed: for a server that others can reach, or without a local key.
func openConsole(config configs.Config, listener net.Addr, w welcome) (*console.Surface, string, error) {
	if err := w.visitor.Validate(); err != nil {
		return nil, "", usageError{err}
	}
	address, err := netip.ParseAddrPort(listener.String())
	local := err == nil && address.Addr().IsLoopback()
	if files.Files() == nil || !w.link || !local || !compose.UsesLocalKey(config) {
		surface, err := console.NewSurface(files.Files(), docs.Operating(), nil)
		return surface, "", err
	}
	session, code := console.NewSession(func() (string, error) { return mint(config, w.visitor, consoleTTL) }, time.Now)
	surface, err := console.NewSurface(files.Files(), docs.Operating(), session)
	base, failed := urlOf(address.String(), config.TLS.Cert != "")
	return surface, base + "/console/#code=" + code, errors.Join(err, failed)
}
