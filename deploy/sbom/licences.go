package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// licence is what a module may be used by: the ids of SPDX, and the files that say so.
type licence struct{ ids, texts []string }

// standard is Go's own library, among modules.
const standard = "std"

var (
	licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice)([-._].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^notice`)
)

// licencesOf returns the licences of the modules that a program is built of for a platform:
// those of its packages and of the folders above them. A module that has none is refused.
func licencesOf(program string, platform []string) (map[string]licence, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{if not .Module.Main}}{{.Module.Path}}\t{{.Module.Dir}}\t{{.Dir}}{{end}}{{end}}", program)
	list.Env, list.Stderr = append(os.Environ(), platform...), os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	goroot := strings.TrimSpace(string(root))
	known, read := map[string]licence{}, map[string]bool{}
	for _, line := range append(strings.Split(string(out), "\n"), strings.Join([]string{standard, goroot, goroot}, "\t")) {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			continue
		}
		module, top, dir := fields[0], fields[1], fields[2]
		l := known[module]
		for ; strings.HasPrefix(dir, top) && !read[dir]; dir = filepath.Dir(dir) {
			read[dir] = true
			if err := l.add(dir); err != nil {
				return nil, err
			}
		}
		known[module] = l
	}
	for module, l := range known {
		if len(l.ids) == 0 {
			return nil, fmt.Errorf("%s has no licence that is known", module)
		}
	}
	return known, nil
}

// add reads the licences in a folder.
func (l *licence) add(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.IsDir() || !licenceFile.MatchString(file.Name()) || strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return err
		}
		l.texts = append(l.texts, strings.TrimSpace(string(text)))
		if noticeFile.MatchString(file.Name()) {
			continue
		}
		for _, match := range licensecheck.Scan(text).Match {
			if !slices.Contains(l.ids, match.ID) {
				l.ids = append(l.ids, match.ID)
			}
		}
	}
	return nil
}

// writeLicences writes the texts of all licences.
func writeLicences(w io.Writer, info *debug.BuildInfo, known map[string]licence, scripts []script) error {
	text := "Upline holds the work of others. Their licences:\n"
	say := func(name, version string, l licence) {
		text += "\n" + strings.Repeat("=", 78) + "\n  " + name + " " + version + " (" + strings.Join(l.ids, ", ") + ")\n" + strings.Repeat("-", 78) + "\n\n" + strings.Join(l.texts, "\n\n") + "\n"
	}
	say("Go", info.GoVersion, known[standard])
	for _, module := range modules(info) {
		say(module.Path, module.Version, known[module.Path])
	}
	var page string
	for _, s := range scripts {
		if s.page != page {
			page = s.page
			text += "\n" + strings.Repeat("=", 78) + "\nScripts in the page " + page + "\n\n" + s.told + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
