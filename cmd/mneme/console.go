package main

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"mneme/acl"
	"mneme/configs"
	files "mneme/console"
	"mneme/docs"
	"mneme/internal/compose"
	"mneme/server/console"
)

// consoleTTL is the lifetime of the token that the console's link gives.
const consoleTTL = time.Hour

// openConsole returns the console, and the link that signs a visitor in once as an
// agent; "" where none may be printed: to anything but a terminal, of a server that
// others can reach, or without a local key.
func (p *program) openConsole(config configs.Config, listener net.Addr, agent string) (*console.Surface, string, error) {
	principal := acl.Principal{Agent: agent, Taint: acl.Public}
	if err := principal.Validate(); err != nil {
		return nil, "", usageError{err}
	}
	address, err := netip.ParseAddrPort(listener.String())
	local := err == nil && address.Addr().IsLoopback()
	if files.Files() == nil || p.json || !onTerminal(p.out) || !local || !compose.UsesLocalKey(config) {
		surface, err := console.NewSurface(files.Files(), docs.Operating, nil)
		return surface, "", err
	}
	session, code := console.NewSession(func() (string, error) { return mint(config, principal, consoleTTL) }, time.Now)
	surface, err := console.NewSurface(files.Files(), docs.Operating, session)
	base, failed := urlOf(address.String(), config.TLS.Cert != "")
	return surface, base + "/console/#code=" + code, errors.Join(err, failed)
}
