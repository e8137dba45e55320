package main

import (
	"reflect"
	"testing"

	"github.com/alecthomas/kong"
)

// No two flags of a command have one name, and every default fits.
func TestFlags(t *testing.T) {
	if _, err := kong.New(&commands{}, kong.Vars{"data": t.TempDir()}); err != nil {
		t.Error(err)
	}
}

// A variable that is empty is as good as none, for every flag.
func TestEmptyVariables(t *testing.T) {
	parse := func() (c commands) {
		k, err := kong.New(&c, kong.Vars{"data": "/nowhere"})
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"demo"}, {"serve", "--database", "x.db"}} {
			if _, err := k.Parse(args); err != nil {
				t.Fatalf("%v: %v", args, err)
			}
		}
		return c
	}
	want := parse()
	k, err := kong.New(&commands{}, kong.Vars{"data": "/nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	empty := 0
	var clear func(n *kong.Node)
	clear = func(n *kong.Node) {
		for _, flag := range n.Flags {
			for _, name := range flag.Envs {
				t.Setenv(name, "")
				empty++
			}
		}
		for _, child := range n.Children {
			clear(child)
		}
	}
	clear(k.Model.Node)
	ignoreEmptyVariables()
	if got := parse(); empty < 30 || !reflect.DeepEqual(got, want) {
		t.Errorf("with %d empty variables the flags are %+v; want %+v", empty, got, want)
	}
}
