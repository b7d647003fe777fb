package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/internal/system"
	"mneme/server/listen"
	"mneme/server/token"
)

// The free bytes on the data folder's disk below which doctor warns, and below which it
// reports a problem.
const (
	lowDisk  = 1 << 30
	fullDisk = 64 << 20
)

// checkFolder checks the data folder without creating it.
func (d *diagnosis) checkFolder() {
	const check = "data folder"
	dir := d.config.DataDir
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add(check, fine, dir+" does not exist yet; the first write makes it", "")
		return
	case err != nil:
		d.add(check, problem, err.Error(), "--data-dir or MNEME_DATA_DIR names another folder")
		return
	case !info.IsDir():
		d.add(check, problem, dir+" is not a folder", "--data-dir or MNEME_DATA_DIR names another one")
		return
	case system.CheckWritable(dir) != nil:
		d.add(check, problem, dir+" is not writable", "run mneme as its owner, or make it writable")
		return
	}
	if err := checkPrivate(dir); errors.Is(err, system.ErrExposed) {
		d.add(check, warning, fmt.Sprintf("%s: %v", dir, err), system.RestrictCommand(quote(dir), true))
		return
	}
	free, err := system.FreeBytes(dir)
	if err != nil {
		d.add(check, problem, err.Error(), "")
		return
	}
	says := fmt.Sprintf("%s, %d MB free", dir, free/1_000_000)
	switch {
	case free < fullDisk:
		d.add(check, problem, says, "make room: writes will fail")
	case free < lowDisk:
		d.add(check, warning, says, "make room soon")
	default:
		d.add(check, fine, says, "")
	}
}

// checkPrivate returns an error that wraps system.ErrExposed if users other than the owner
// can access a file or folder.
func checkPrivate(path string) error {
	f, err := system.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(system.CheckPrivate(f), f.Close())
}

// checkKey checks the local signing key without creating it.
func (d *diagnosis) checkKey() {
	const check = "signing key"
	if !compose.UsesLocalKey(d.config) {
		d.add(check, fine, "not used: tokens come from the configured issuers", "")
		return
	}
	if _, err := os.Stat(filepath.Join(d.config.DataDir, token.LocalKeyFile)); errors.Is(err, fs.ErrNotExist) {
		d.add(check, fine, "none yet; mneme serve or mneme token makes it", "")
		return
	}
	_, err := token.OpenLocalKey(d.config.DataDir)
	switch {
	case errors.Is(err, token.ErrReadable):
		d.add(check, problem, err.Error(), system.RestrictCommand("the file", false)+"; if others may have read it, delete it: all its tokens end")
	case err != nil:
		d.add(check, problem, err.Error(), "restore the file, or delete it: all its tokens end")
	default:
		d.add(check, fine, "present, and readable to its owner alone", "")
	}
}

// modelTimeout limits the call of the embedder.
const modelTimeout = 30 * time.Second

// checkModel embeds one query.
func (d *diagnosis) checkModel(ctx context.Context) {
	const check = "embedder"
	_, do, _ := compose.RemoteEmbedder(d.config)
	model, err := compose.OpenEmbedder(d.config)
	if err != nil {
		d.add(check, problem, err.Error(), do)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	started := time.Now()
	if _, err := model.Query(ctx, "doctor"); err != nil {
		d.add(check, problem, err.Error(), do)
		return
	}
	d.add(check, fine, fmt.Sprintf("%s embeds a query in %d ms, %d dimensions%s", d.config.Embedder, time.Since(started).Milliseconds(), model.Dim(), d.modelLabel()), "")
}

// modelLabel returns a note on the highest label of entries whose text a remote embedder is
// sent; "" if it is sent all of them.
func (d *diagnosis) modelLabel() string {
	if label, _, remote := compose.RemoteEmbedder(d.config); remote && label != acl.Restricted.String() {
		return ", sent labels up to " + label + " (words alone find what is above)"
	}
	return ""
}

// addressTimeout limits the request to the server at the address. Tests wait longer.
var addressTimeout = 3 * time.Second

// checkAddress checks whether a server can listen on the address, or already does.
func (d *diagnosis) checkAddress(ctx context.Context) {
	const check = "address"
	listener, err := openListener(ctx, d.config.Addr, d.config.SocketMode())
	if err == nil {
		d.add(check, fine, d.config.Addr+" is free; no server runs there", "")
		if err := listener.Close(); err != nil {
			d.add(check, problem, err.Error(), "")
		}
		return
	}
	server, failed := ownServer(d.config)
	var inUse *inUseError
	if failed != nil || !errors.As(err, &inUse) {
		d.add(check, problem, err.Error(), "--addr or MNEME_ADDR names another address")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	quiet := *d.program
	quiet.json, quiet.out = false, io.Discard
	if err := quiet.askReady(ctx, server, false); err != nil {
		d.add(check, problem, err.Error(), "if another program uses the address, --addr or MNEME_ADDR names another one")
		return
	}
	d.add(check, fine, "a server is ready on "+d.config.Addr, "")
}

// lastDays is the time before a certificate's expiry from which doctor warns.
const lastDays = 14 * 24 * time.Hour

// checkCertificate checks the certificate and its key, if serve has TLS.
func (d *diagnosis) checkCertificate() {
	const check = "certificate"
	files := d.config.TLS
	if files.Cert == "" {
		return
	}
	certificate, err := listen.OpenCertificate(files.Cert, files.Key, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		d.add(check, problem, err.Error(), "tls.cert and tls.key name PEM files of one certificate with its chain, and of its key")
		return
	}
	leaf := certificate.Current().Leaf
	says := fmt.Sprintf("of %s, until %s", strings.Join(leaf.DNSNames, ", "), leaf.NotAfter.UTC().Format(time.DateOnly))
	exposed := checkPrivate(files.Key)
	switch left := time.Until(leaf.NotAfter); {
	case left <= 0:
		d.add(check, problem, says+": it has expired", "renew it; serve reads the files again by itself")
	case time.Now().Before(leaf.NotBefore):
		d.add(check, problem, says+": it is not valid yet", "check the clock")
	case left < lastDays:
		d.add(check, warning, says, "renew it; serve reads the files again by itself")
	case errors.Is(exposed, system.ErrExposed):
		d.add(check, warning, "the key: "+exposed.Error(), system.RestrictCommand(quote(files.Key), false))
	default:
		d.add(check, fine, says, "")
	}
}

// clock is a storage with a clock.
type clock interface {
	Clock(ctx context.Context) (time.Time, error)
}

// maxSkew is the maximum difference of clocks: the verification of tokens allows this
// skew.
const maxSkew = 30 * time.Second

func (d *diagnosis) checkDatabaseClock(ctx context.Context, c clock) {
	const check = "clock of the database"
	before := time.Now()
	at, err := c.Clock(ctx)
	if err != nil {
		d.add(check, problem, err.Error(), "")
		return
	}
	// The database read its clock at some time between before and now, so only a difference
	// to both is a skew.
	skew := max(before.Sub(at), time.Until(at), 0)
	if skew > maxSkew {
		d.add(check, problem, fmt.Sprintf("differs by %s from this machine's", skew.Round(time.Second)), "synchronise both by NTP")
		return
	}
	d.add(check, fine, "agrees with this machine's", "")
}

// checkClock checks that the clock is not earlier than the build of this program.
func (d *diagnosis) checkClock() {
	const check = "clock"
	now := time.Now()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			built, err := time.Parse(time.RFC3339, setting.Value)
			if setting.Key == "vcs.time" && err == nil && now.Add(maxSkew).Before(built) {
				d.add(check, problem, "is before this program was written", "set it; tokens and expiries depend on it")
				return
			}
		}
	}
	d.add(check, fine, now.UTC().Format(time.RFC3339), "")
}
