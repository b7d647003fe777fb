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

	"mneme/faulttest"
)

// ErrNoServer says that there is no Milvus to start.
var ErrNoServer = errors.New("no milvus-server in PATH (pip install 'setuptools<81' milvus==2.3.5)")

// Server is a Milvus of a test's own, on loopback: PyPI's milvus, the whole
// standalone server. It can be held, stopped, wiped, and started again at the
// same port.
type Server struct {
	program, dir, port, etcd string
	arguments                []string
	process                  *exec.Cmd // nil: stopped
	release                  func()    // see faulttest.KillWithParent
}

// NewServer prepares a server in a folder; arguments are milvus-server's.
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
	// Its etcd takes port 2380 unless told otherwise, by a file.
	etcd := fmt.Sprintf(etcdConfig, filepath.Join(s.data(), "etcd"), ports[1], ports[2])
	s.arguments = append([]string{
		"--data", s.home(), "--proxy-port", s.port, "--etcd-port", ports[1],
		// Why: docs/decisions/0008-milvus.md.
		"--extra-config", "queryNode.segcore.interimIndex.enableIndex=false",
		"--extra-config", "common.session.ttl=" + strconv.Itoa(int(session.Seconds())),
	}, arguments...)
	return s, os.WriteFile(s.etcd, []byte(etcd), 0o600)
}

// session is how long Milvus takes itself for alive after it was last heard
// of. A server that was stopped waits for that long when it starts again; by
// default half a minute.
const session = 10 * time.Second

const etcdConfig = `name: default
data-dir: %[1]s
listen-client-urls: http://127.0.0.1:%[2]s
advertise-client-urls: http://127.0.0.1:%[2]s
listen-peer-urls: http://127.0.0.1:%[3]s
initial-advertise-peer-urls: http://127.0.0.1:%[3]s
initial-cluster: default=http://127.0.0.1:%[3]s
`

func (s *Server) home() string { return filepath.Join(s.dir, "milvus") }

// data holds all that a server keeps.
func (s *Server) data() string { return filepath.Join(s.home(), "data") }

// Addr is the server's host:port, whether it runs or not.
func (s *Server) Addr() string { return "127.0.0.1:" + s.port }

// Start starts the server; Ready waits for it. The first time it runs
// milvus-server, which unpacks the server and writes its configuration, and
// later the server itself: milvus-server would refuse the port for a minute
// after its connections were broken, since it tries it without SO_REUSEADDR.
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

// Ready waits until the server, one without users and TLS, serves.
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
		err = errors.New("it is not healthy yet")
	}
	return err
}

// Stop ends the server and what it started at once (SIGKILL).
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

// Pause stops the server where it is (SIGSTOP): connections stand, and nobody
// answers. After ten seconds it takes itself for dead.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) error {
	return syscall.Kill(-s.process.Process.Pid, signal)
}

// Wipe takes all that a stopped server kept.
func (s *Server) Wipe() error {
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	return os.Mkdir(s.data(), 0o700)
}
