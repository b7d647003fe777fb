package configs

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path"
	"strings"
	"time"
)

// TLS configures serve to encrypt its connections. Both files are PEM, and reloaded when
// they change.
type TLS struct {
	Cert string `mapstructure:"cert"` // the certificate and its chain; empty: no TLS
	Key  string `mapstructure:"key"`
}

// CORS configures the pages of other origins that may call serve from a browser.
type CORS struct {
	// Origins are exact, such as https://app.example.com, or "*" alone. Empty: off.
	Origins []string `mapstructure:"origins"`
	// Credentials lets browsers send the cookies and certificates that a proxy before
	// serve requires; serve reads neither. Not with "*".
	Credentials bool          `mapstructure:"credentials"`
	MaxAge      time.Duration `mapstructure:"max_age"` // how long a browser may cache the answer to a preflight
}

// check returns an error that names an invalid field.
func (c CORS) check() error {
	for i, origin := range c.Origins {
		if origin == "*" {
			if len(c.Origins) > 1 || c.Credentials {
				return errors.New(`cors.origins may have "*" only alone, and without cors.credentials`)
			}
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || strings.ToLower(u.Scheme+"://"+u.Host) != origin || strings.ContainsAny(origin, "*,@ ") {
			return fmt.Errorf("cors.origins[%d] must be an origin as browsers write it, such as https://app.example.com, without a path", i)
		}
	}
	if c.MaxAge < 0 {
		return errors.New("cors.max_age must not be negative")
	}
	return nil
}

// socketModes maps SocketAccess to the mode of the socket's file.
var socketModes = map[string]os.FileMode{"owner": 0o600, "group": 0o660, "everyone": 0o666}

// SocketMode returns the mode of a Unix socket's file.
func (c *Config) SocketMode() os.FileMode { return socketModes[c.SocketAccess] }

// Socket returns the path of the Unix socket on which serve listens; ok is false if it
// listens on an address.
func (c *Config) Socket() (path string, ok bool) { return strings.CutPrefix(c.Addr, "unix:") }

// checkListening returns an error that names an invalid listening setting.
func (c *Config) checkListening() error {
	file, socket := c.Socket()
	_, _, err := net.SplitHostPort(c.Addr)
	switch {
	case socket && file == "", !socket && err != nil:
		return errors.New("addr must be host:port, or unix: and a path")
	case (c.TLS.Cert == "") != (c.TLS.Key == ""):
		return errors.New("tls requires both tls.cert and tls.key")
	case socket && c.TLS.Cert != "":
		return errors.New("tls is not for a Unix socket: leave it out, or set addr to host:port")
	}
	return nil
}

// checkPublicURL returns an error unless PublicURL is empty or a valid URL.
func (c *Config) checkPublicURL() error {
	if c.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.ForceQuery || strings.Contains(c.PublicURL, "#") || !plainPath(u) {
		return errors.New("public_url must be an address that clients use, such as https://memory.example.com or https://example.com/mneme, " +
			"without user, query or fragment")
	}
	return nil
}

// plainPath reports whether the path of u needs no escapes and has no empty, "." or ".."
// segments. Proxies and clients may rewrite any other path, so that it would not be recognised.
func plainPath(u *url.URL) bool {
	rest := strings.TrimSuffix(u.Path, "/")
	return u.EscapedPath() == u.Path && (rest == "" || path.Clean(rest) == rest)
}

// BasePath returns the path of PublicURL, such as /mneme; "" if it has none.
func (c *Config) BasePath() string {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}
