// Command sbom writes, beside a binary of a release, what it was built of: sbom.cdx.json,
// in the form of CycloneDX, and licenses.txt, the licences of others' work in it. It is run
// in the folder of the repository:
//
//	go run ./deploy/sbom dist/linux-amd64/upline v1.2.3
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY VERSION")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(binary, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	known, err := licencesOf(info.Path, settings(info))
	if err != nil {
		return err
	}
	scripts, err := embedded(".")
	if err != nil {
		return err
	}
	if err := create(binary, "licenses.txt", func(w io.Writer) error { return writeLicences(w, info, known, scripts) }); err != nil {
		return err
	}
	info.Main.Version = version
	return create(binary, "sbom.cdx.json", func(w io.Writer) error {
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill(info, known, scripts))
	})
}

// create writes a file beside the binary.
func create(binary, name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(filepath.Dir(binary), name))
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// settings are the variables that a binary was built with.
func settings(info *debug.BuildInfo) []string {
	var set []string
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" {
			set = append(set, s.Key+"="+s.Value)
		}
	}
	return set
}

// bill lists the modules that the binary says it was built of, and the scripts in it.
func bill(info *debug.BuildInfo, known map[string]licence, scripts []script) *cyclonedx.BOM {
	bom := cyclonedx.NewBOM()
	main := component(info.Main, licence{ids: []string{"Apache-2.0"}})
	main.Type = cyclonedx.ComponentTypeApplication
	bom.Metadata = &cyclonedx.Metadata{Component: &main}
	components := []cyclonedx.Component{{
		BOMRef: "go", Type: cyclonedx.ComponentTypePlatform, Name: "Go", Version: info.GoVersion, Licenses: licences(known[standard].ids),
	}}
	for _, module := range modules(info) {
		components = append(components, component(module, known[module.Path]))
	}
	for _, s := range scripts {
		url := "pkg:npm/" + strings.Replace(s.name, "@", "%40", 1)
		if s.version != "" {
			url += "@" + s.version
		}
		components = append(components, cyclonedx.Component{
			BOMRef: s.page + " " + url, Type: cyclonedx.ComponentTypeLibrary, Name: s.name, Version: s.version, PackageURL: url, Licenses: licences([]string{s.licence}),
			Properties: &[]cyclonedx.Property{{Name: "upline:page", Value: s.page}},
		})
	}
	bom.Components = &components
	return bom
}

// modules returns the modules that a binary holds.
func modules(info *debug.BuildInfo) []debug.Module {
	var all []debug.Module
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		all = append(all, *module)
	}
	return all
}

// component describes a module by its package URL, its licences, and the SHA-256 of its
// files that go.sum holds.
func component(m debug.Module, l licence) cyclonedx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c := cyclonedx.Component{
		BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url, Licenses: licences(l.ids),
	}
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		if raw, err := base64.StdEncoding.DecodeString(sum); err == nil {
			c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
		}
	}
	return c
}

// licences are some ids of SPDX, or one expression of them.
func licences(ids []string) *cyclonedx.Licenses {
	if len(ids) == 1 && strings.Contains(ids[0], " ") {
		return &cyclonedx.Licenses{{Expression: ids[0]}}
	}
	var all cyclonedx.Licenses
	for _, id := range ids {
		all = append(all, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
	}
	return &all
}
