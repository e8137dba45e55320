package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// script is a package of npm that is part of a page in the binary.
type script struct{ name, version, licence, page, told string }

// pages are the files that say which packages a page holds, and by which licences, in the
// words of Vite or in those of graph/playground/assets/LICENSES.txt.
var pages = []struct{ name, file string }{
	{"workbench", "app/pages/workbench/dist/licenses.txt.gz"},
	{"playground", "graph/playground/assets/LICENSES.txt"},
	{"docs", "app/pages/reference/scalar.LICENSE.txt"},
}

var (
	ofVite = regexp.MustCompile(`(?m)^## (\S+) - (\S+) \((.+)\)$`)
	byHand = regexp.MustCompile(`(?m)^  (\S+)(?: ([0-9]\S*))? \(([^)]+)\)(?::.*)?$`)
)

// embedded returns the packages in the pages of a repository.
func embedded(root string) ([]script, error) {
	var all []script
	for _, page := range pages {
		text, err := read(filepath.Join(root, page.file))
		if err != nil {
			return nil, err
		}
		found := append(ofVite.FindAllStringSubmatch(text, -1), byHand.FindAllStringSubmatch(text, -1)...)
		if len(found) == 0 {
			return nil, fmt.Errorf("%s names no package", page.file)
		}
		for _, f := range found {
			all = append(all, script{name: f[1], version: f[2], licence: f[3], page: page.name, told: text})
		}
	}
	return all, nil
}

// read returns the text of a file, which may be compressed.
func read(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(file, ".gz") {
		return string(content), err
	}
	zipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	plain, err := io.ReadAll(zipped)
	return string(plain), err
}
