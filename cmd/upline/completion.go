package main

import (
	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
)

type completionCommand struct {
	Shell string `arg:"" help:"bash, zsh or fish; by default the shell of your login." enum:"bash,zsh,fish," default:""`
}

// Run implements the command.
func (c *completionCommand) Run(k *kong.Context) error {
	return (&kongcompletion.Completion{Shell: c.Shell, Code: true}).Run(k)
}
