package main

import (
	"fmt"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

type manCommand struct{}

// Run prints the manual page, made from the help of all commands and flags. The page says
// nothing about the machine that it is made on.
func (manCommand) Run(k *kong.Kong) error {
	anywhere, err := grammar(&commands{}, "~/.cache/upline-demo")
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(k.Stdout, mangokong.NewManPage(1, anywhere.Model).Build(roff.NewDocument()))
	return err
}
