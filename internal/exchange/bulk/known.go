package bulk

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/uplinehq/upline/internal/text"
)

// layouts are how files of some senders differ from ours, one in each file, known by their heads.
//
//go:embed layouts/*.json
var layouts embed.FS

// KnownLayouts returns the layouts that are known from the start, by their names.
var KnownLayouts = sync.OnceValue(func() (all []*KnownLayout) {
	files, err := layouts.ReadDir("layouts")
	for _, f := range files {
		var body []byte
		k := &KnownLayout{Name: strings.TrimSuffix(f.Name(), ".json")}
		if body, err = layouts.ReadFile("layouts/" + f.Name()); err != nil {
			break
		}
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err = d.Decode(k); err != nil {
			break
		}
		all = append(all, k)
	}
	if err != nil {
		panic(err) // a test reads them
	}
	return all
})

// known returns the layout that heads have: of several the one that names most of them; nil for none.
func known(cells []string) (best *KnownLayout) {
	heads := map[string]bool{}
	for _, cell := range cells {
		heads[fold(cell)] = true
	}
	for _, k := range KnownLayouts() {
		isIt := !slices.ContainsFunc(k.Has, func(head string) bool { return !heads[fold(head)] })
		if isIt && (best == nil || len(k.Has) > len(best.Has)) {
			best = k
		}
	}
	return best
}

// under adds what the layout says of a file with some heads to what somebody has said of it, which
// counts more.
func (k *KnownLayout) under(m Mapping, cells []string) Mapping {
	said := map[string]bool{}
	for _, h := range m.Headers {
		said[fold(h.Name)], said[fold(h.Column)] = true, true
	}
	for _, name := range m.Skip {
		said[fold(name)] = true
	}
	for _, v := range m.Values {
		said[fold(v.Column)+"\x00"+v.From] = true
	}
	for _, c := range m.Constants {
		said[fold(c.Column)] = true
	}
	if cells == nil { // lines of JSON
		cells = slices.Concat(slices.Sorted(maps.Keys(k.Headers)), k.Skip)
	}
	for _, cell := range cells {
		column, isMapped := k.columnOf(cell)
		switch {
		case said[fold(cell)]:
		case isMapped && !said[fold(column)]:
			m.Headers = append(slices.Clip(m.Headers), Header{Name: cell, Column: column})
			for _, from := range slices.Sorted(maps.Keys(k.Values[text.Trim(cell)])) {
				if !said[fold(cell)+"\x00"+from] {
					m.Values = append(slices.Clip(m.Values), Value{Column: cell, From: from, To: k.Values[text.Trim(cell)][from]})
				}
			}
		case isMapped, slices.ContainsFunc(k.Skip, func(name string) bool { return fold(name) == fold(cell) }):
			m.Skip = append(slices.Clip(m.Skip), cell)
		}
	}
	m.Order, m.Clear = cmp.Or(m.Order, k.Order), m.Clear || k.Clear
	for column, value := range k.Constants {
		if !said[fold(column)] {
			m.Constants = append(slices.Clip(m.Constants), Constant{Column: column, Value: value})
		}
	}
	return m
}

func (k *KnownLayout) columnOf(cell string) (column string, isMapped bool) {
	for name, column := range k.Headers {
		if fold(name) == fold(cell) {
			return column, true
		}
	}
	return "", false
}
