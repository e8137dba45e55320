package dbtest

import (
	"os"
	"os/exec"
	"testing"
)

// process is a server that a test kills and starts again.
type process struct {
	// prepare makes the command that runs it.
	prepare func() *exec.Cmd
	// ready is the URL of a database that answers when it has started.
	ready string
	// end is the signal that it does not outlive.
	end os.Signal
	cmd *exec.Cmd
}

func (p *process) start() error {
	p.cmd = p.prepare()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	return waitFor(p.ready)
}

// Kill ends the process, with every connection to it.
func (p *process) Kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(p.end)
	_ = p.cmd.Wait()
	p.cmd = nil
}

// Start starts the process again.
func (p *process) Start(t testing.TB) {
	t.Helper()
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
}
