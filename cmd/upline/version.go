package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// A release sets these at link time; other builds use what the go command recorded.
var releaseVersion, releaseCommit, releaseDate string

// buildInfo says what a binary was built from.
type buildInfo struct{ version, commit, date string }

// String implements fmt.Stringer.
func (b buildInfo) String() string {
	return fmt.Sprintf("upline %s, commit %s, %s", b.version, b.commit, b.date)
}

// thisBuild describes this binary.
func thisBuild() buildInfo {
	known := buildInfo{version: releaseVersion, commit: releaseCommit, date: releaseDate}
	if info, ok := debug.ReadBuildInfo(); ok {
		known.version = cmp.Or(known.version, info.Main.Version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				known.commit = cmp.Or(known.commit, s.Value)
			case "vcs.time":
				known.date = cmp.Or(known.date, s.Value)
			}
		}
	}
	return buildInfo{cmp.Or(known.version, "(devel)"), cmp.Or(known.commit, "unknown"), cmp.Or(known.date, "of an unknown date")}
}

type versionCommand struct{}

// Run implements the command.
func (versionCommand) Run(k *kong.Kong) error {
	_, err := fmt.Fprintln(k.Stdout, thisBuild())
	return err
}
