//go:build unix

package milvustest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/client"

	"mneme/test/faulttest"
)

// ErrNoServer reports that milvus-server is not installed.
var ErrNoServer = errors.New("no milvus-server in PATH (pip install 'setuptools<81' milvus==2.3.5)")

// Server is a Milvus server on loopback for one test: the complete standalone server of PyPI's
// package milvus. It can be paused, stopped, wiped, and started again on the same port.
type Server struct {
	program, dir, port, etcd string
	arguments                []string
	process                  *exec.Cmd // nil: stopped
	release                  func()    // see faulttest.KillWithParent
}

// NewServer prepares a server whose files are in dir. It passes the arguments to
// milvus-server.
func NewServer(dir string, arguments ...string) (*Server, error) {
	program, err := exec.LookPath("milvus-server")
	if err != nil {
		return nil, ErrNoServer
	}
	var ports [3]string
	for i := range ports {
		if ports[i], err = faulttest.FreePort(); err != nil {
			return nil, err
		}
	}
	s := &Server{program: program, dir: dir, port: ports[0], etcd: filepath.Join(dir, "etcd.yaml")}
	// The embedded etcd uses port 2380 unless a file configures it.
	etcd := fmt.Sprintf(etcdConfig, filepath.Join(s.data(), "etcd"), ports[1], ports[2])
	s.arguments = append([]string{
		"--data", s.home(), "--proxy-port", s.port, "--etcd-port", ports[1],
		// See docs/decisions/0008-milvus.md.
		"--extra-config", "queryNode.segcore.interimIndex.enableIndex=false",
		"--extra-config", "common.session.ttl=" + strconv.Itoa(int(sessionTTL.Seconds())),
	}, arguments...)
	for _, part := range parts {
		port, err := faulttest.FreePort()
		if err != nil {
			return nil, err
		}
		s.arguments = append(s.arguments, "--"+part+"-port", port)
	}
	return s, os.WriteFile(s.etcd, []byte(etcd), 0o600)
}

// sessionTTL is the lifetime of the session that Milvus registers in etcd. After the server was
// killed, its next start waits until the old session has expired, so the TTL should be short.
// But on a busy machine, a server that cannot renew its session in time exits: hence the TTL is
// not much less than Milvus's default of half a minute.
const sessionTTL = 20 * time.Second

// parts are the parts of Milvus that each listen on a port of their own. NewServer chooses free
// ports for them. milvus-server would probe fixed ports one by one, and unpack the server
// before it uses those that it found free: of two servers that are started at the same time,
// one would fail.
var parts = []string{"root-coord", "proxy-internal", "query-coord", "query-node", "index-coord", "index-node", "data-coord", "data-node"}

const etcdConfig = `name: default
data-dir: %[1]s
listen-client-urls: http://127.0.0.1:%[2]s
advertise-client-urls: http://127.0.0.1:%[2]s
listen-peer-urls: http://127.0.0.1:%[3]s
initial-advertise-peer-urls: http://127.0.0.1:%[3]s
initial-cluster: default=http://127.0.0.1:%[3]s
`

func (s *Server) home() string { return filepath.Join(s.dir, "milvus") }

// data is the folder of the server's persistent data.
func (s *Server) data() string { return filepath.Join(s.home(), "data") }

// Addr returns the server's host:port, whether it is running or not.
func (s *Server) Addr() string { return "127.0.0.1:" + s.port }

// Start starts the server; Ready waits for it. The first Start runs milvus-server, which
// unpacks the server and writes its configuration. Later ones run the unpacked server directly:
// milvus-server would check whether the port is free without SO_REUSEADDR, and so refuse a port
// for a minute after connections on it were broken.
func (s *Server) Start() error {
	server := filepath.Join(s.home(), "bin", "milvus")
	if _, err := os.Stat(server); err == nil {
		metrics, err := faulttest.FreePort()
		if err != nil {
			return err
		}
		s.process = exec.Command(server, "run", "standalone")
		s.process.Dir = s.home()
		s.process.Env = append(os.Environ(), "DEPLOY_MODE=STANDALONE", "METRICS_PORT="+metrics,
			"MILVUS_RUN_DIR="+filepath.Join(s.home(), "run"), "LD_LIBRARY_PATH="+filepath.Dir(server))
	} else {
		s.process = exec.Command(s.program, s.arguments...)
		s.process.Env = os.Environ()
	}
	s.process.Env = append(s.process.Env, "ETCD_CONFIG_PATH="+s.etcd)
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.process.Start(); err != nil {
		return err
	}
	var err error
	if s.release, err = faulttest.KillWithParent(s.process.Process.Pid); err != nil {
		return errors.Join(err, s.Stop())
	}
	return nil
}

// Ready waits until the server is healthy. The server must have neither users
// nor TLS.
func (s *Server) Ready(ctx context.Context) error {
	for {
		err := s.check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("milvus does not answer: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s *Server) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := client.NewClient(ctx, client.Config{Address: s.Addr(), DisableConn: true})
	if err != nil {
		return err
	}
	defer conn.Close()
	state, err := conn.CheckHealth(ctx)
	if err == nil && !state.IsHealthy {
		err = errors.New("not healthy yet")
	}
	return err
}

// Stop kills the server and its child processes (SIGKILL).
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	if err := s.signal(syscall.SIGKILL); err != nil {
		return err
	}
	_ = s.process.Wait() // killed
	s.process = nil
	if s.release != nil {
		s.release()
	}
	return nil
}

// Pause suspends the server (SIGSTOP): connections stay open, but nothing answers. If that
// lasts longer than sessionTTL, the server's session expires, and the server exits when it is
// resumed.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume continues a paused server.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) error {
	return syscall.Kill(-s.process.Process.Pid, signal)
}

// Wipe deletes the data of a stopped server.
func (s *Server) Wipe() error {
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	return os.Mkdir(s.data(), 0o700)
}
