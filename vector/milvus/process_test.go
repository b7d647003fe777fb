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
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mneme/vector"
)

// process is a Milvus of the test's own: PyPI's milvus, the whole standalone
// server, with users and TLS.
type process struct {
	binary, dir, port string
	arguments         []string
	command           *exec.Cmd
}

func newProcess(t *testing.T, arguments ...string) *process {
	t.Helper()
	binary, err := exec.LookPath("milvus-server")
	if err != nil {
		const missing = "no milvus-server in PATH (pip install milvus==2.3.5)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	p := &process{binary: binary, dir: t.TempDir(), port: freePort(t)}
	client, peer := freePort(t), freePort(t)
	// Its etcd takes port 2380 unless told otherwise, by a file.
	etcd := fmt.Sprintf(etcdConfig, filepath.Join(p.dir, "etcd"), client, peer)
	if err := os.WriteFile(filepath.Join(p.dir, "etcd.yaml"), []byte(etcd), 0o600); err != nil {
		t.Fatal(err)
	}
	p.arguments = append([]string{"--data", filepath.Join(p.dir, "milvus"), "--proxy-port", p.port, "--etcd-port", client}, arguments...)
	t.Cleanup(func() { p.stop(t) })
	return p
}

const etcdConfig = `name: default
data-dir: %[1]s
listen-client-urls: http://127.0.0.1:%[2]s
advertise-client-urls: http://127.0.0.1:%[2]s
listen-peer-urls: http://127.0.0.1:%[3]s
initial-advertise-peer-urls: http://127.0.0.1:%[3]s
initial-cluster: default=http://127.0.0.1:%[3]s
`

func freePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(free(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (p *process) addr() string { return "127.0.0.1:" + p.port }

// start runs milvus-server, which unpacks the server and writes its
// configuration, and the second time the server itself: milvus-server would
// refuse the port for a minute after its connections were broken, since it
// tries it without SO_REUSEADDR.
func (p *process) start(t *testing.T) {
	t.Helper()
	data := filepath.Join(p.dir, "milvus")
	if server := filepath.Join(data, "bin", "milvus"); exists(server) {
		p.command = exec.Command(server, "run", "standalone")
		p.command.Dir = data
		p.command.Env = append(os.Environ(), "DEPLOY_MODE=STANDALONE", "METRICS_PORT="+freePort(t),
			"MILVUS_RUN_DIR="+filepath.Join(data, "run"), "LD_LIBRARY_PATH="+filepath.Dir(server))
	} else {
		p.command = exec.Command(p.binary, p.arguments...)
		p.command.Env = os.Environ()
	}
	p.command.Env = append(p.command.Env, "ETCD_CONFIG_PATH="+filepath.Join(p.dir, "etcd.yaml"))
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// stop ends the server and what it started.
func (p *process) stop(t *testing.T) {
	if p.command == nil {
		return
	}
	if err := syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL); err != nil {
		t.Errorf("stop: %v", err)
	}
	_ = p.command.Wait() // killed
	p.command = nil
}

// certificate writes a self-signed certificate for loopback, and its key.
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

// One server for three rules, since it takes a while to start: who may come
// in, that nothing goes in clear, and that an index outlives its server.
func TestAServerWithUsersAndTLSThatIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Milvus of its own, twice")
	}
	cert, key := certificate(t)
	p := newProcess(t, "--authorization-enabled", "true", "--tls-mode", "1",
		"--server-pem-path", cert, "--server-key-path", key, "--ca-pem-path", cert)
	p.start(t)

	ctx, config := context.Background(), testConfig(p.addr(), testDim)
	config.User, config.Password = "root", "Milvus" // a new Milvus's own
	config.TLS = TLS{Enabled: true, CAFile: cert}
	var x *Index
	eventually(t, func() (err error) {
		x, err = Open(ctx, config, quiet)
		return err
	})
	t.Cleanup(func() { _ = x.Close() })

	wrong := config
	wrong.Password = "guess"
	if _, err := Open(ctx, wrong, quiet); !errors.Is(err, ErrDenied) {
		t.Errorf("a wrong password: error %v", err)
	}
	clear := config
	clear.TLS = TLS{}
	clear.Timeouts.Open = 5 * time.Second
	if _, err := Open(ctx, clear, quiet); !errors.Is(err, ErrUnavailable) {
		t.Errorf("in clear: error %v", err)
	}
	stranger := config
	stranger.TLS.CAFile = ""
	if _, err := Open(ctx, stranger, quiet); !errors.Is(err, ErrUnavailable) {
		t.Errorf("an authority that is not believed: error %v", err)
	}

	if err := x.Upsert(ctx, []vector.Record{one(1, 1, axis(0))}); err != nil {
		t.Fatal(err)
	}
	query := vector.Query{Vector: axis(0), Limit: 1}
	p.stop(t)
	if _, err := x.Search(ctx, store(t, 1), query); !errors.Is(err, ErrUnavailable) {
		t.Errorf("search while it is away: error %v", err)
	}
	if err := x.Upsert(ctx, []vector.Record{one(2, 1, axis(1))}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("upsert while it is away: error %v", err)
	}
	p.start(t)
	eventually(t, func() error { return x.Upsert(ctx, []vector.Record{one(2, 1, axis(1))}) })
	eventually(t, func() error { return x.Settle(ctx) })
	eventually(t, func() error {
		hits, err := x.Search(ctx, store(t, 1), vector.Query{Vector: axis(0), Limit: 9})
		if err == nil && len(hits) != 2 {
			err = errors.New("an entry is missing")
		}
		return err
	})
}
