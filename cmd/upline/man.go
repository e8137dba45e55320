package main

import (
	"fmt"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

type manCommand struct{}

// Run prints the manual page, made of the help of all commands and flags.
func (manCommand) Run(k *kong.Kong) error {
	_, err := fmt.Fprint(k.Stdout, mangokong.NewManPage(1, k.Model).Build(roff.NewDocument()))
	return err
}
