package dbtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// startCluster makes a cluster in a temporary folder, unless it has one, and waits for it;
// its data are a copy of others, or empty. PostgreSQL refuses to run as root; then an
// unprivileged user runs it.
func (s *server) startCluster(copied string) (err error) {
	if s.bin, err = binaries(); err != nil {
		return err
	}
	if s.credential, err = unprivileged(); err != nil {
		return err
	}
	removeLeftovers()
	if err := s.own(); err != nil {
		return err
	}
	if copied == "" {
		err = s.initialize(s.data())
	} else {
		err = said(s.command("/bin/cp", "-Rp", copied, s.data()))
	}
	if err != nil {
		return err
	}
	if s.port, err = freePort(); err != nil {
		return err
	}
	s.admin = adminOf(s.port)
	if err := s.launch(); err != nil || s.citus == nil {
		return err
	}
	return s.startWorkers()
}

// own makes the folder of a cluster, unless there is one, that of whoever runs it.
func (s *server) own() (err error) {
	if s.dir == "" {
		if s.dir, err = makeFolder(); err != nil {
			return err
		}
	}
	if s.credential == nil {
		return nil
	}
	return os.Chown(s.dir, int(s.credential.Uid), int(s.credential.Gid))
}

// program prepares to run one of PostgreSQL's programs.
func (s *server) program(name string, args ...string) *exec.Cmd {
	return s.command(filepath.Join(s.bin, name), args...)
}

// command prepares to run a program in the folder of the cluster, as who runs that.
func (s *server) command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential}
	return cmd
}

// said runs a command; its error tells what that said.
func said(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// initialize makes a data folder.
func (s *server) initialize(data string) error {
	return said(s.program("initdb", "-D", data, "-U", "upline", "-A", "trust", "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C"))
}

// adminOf is the URL of a server's own database.
func adminOf(port int) string {
	return fmt.Sprintf("postgres://upline@127.0.0.1:%d/postgres?sslmode=disable", port)
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// launch starts the cluster and waits for it.
func (s *server) launch() error {
	s.cmd = s.postgres(s.data(), s.port)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	return s.waitReady()
}

// postgres prepares to run a server on a data folder. A commit is in its log before it is
// acknowledged, as servers are killed; machines are not, so nothing waits for a disk.
func (s *server) postgres(data string, port int) *exec.Cmd {
	return s.program("postgres", append([]string{"-D", data, "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", s.dir,
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=400"}, s.citus.settings(data)...)...)
}

func (s *server) waitReady() error { return waitFor(s.admin) }

// waitFor waits until a server answers.
func waitFor(url string) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err := run(url, "SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("PostgreSQL did not start: %w", err)
		}
	}
}

// binaries finds the folder of the server's programs: on the PATH, or where
// Debian and its kin put them.
func binaries() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			path = resolved
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "initdb")); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) > 0 {
		return found[len(found)-1], nil
	}
	return "", errors.New("UPLINE_TEST_DATABASE_URL is not set and no postgres program was found")
}

func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("no unprivileged user to run PostgreSQL as")
}
