package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// flagName matches a flag as errors write it.
var flagName = regexp.MustCompile(`--[a-z][a-z-]*`)

// misuse says what is wrong with a command line, in one line, adds the help of the flags
// that it names, and says where to read more.
func misuse(err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "upline: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	command := "upline"
	var parsing *kong.ParseError
	if errors.As(err, &parsing) && parsing.Context != nil {
		if node := parsing.Context.Selected(); node != nil {
			command = node.FullPath()
		}
		named := flagName.FindAllString(err.Error(), -1)
		for _, f := range parsing.Context.Flags() {
			if slices.Contains(named, "--"+f.Name) {
				fmt.Fprintf(&b, "  %s  %s\n", f.Summary(), helpOf(f))
			}
		}
	}
	fmt.Fprintf(&b, "See %s --help.\n", command)
	return b.String()
}

// helpOf is the help of a flag, with its variable if it has one.
func helpOf(f *kong.Flag) string {
	if len(f.Envs) == 0 {
		return f.Help
	}
	return f.Help + " ($" + strings.Join(f.Envs, ", $") + ")"
}
