package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/exchange/sheet"
)

// The workbench marks what a spreadsheet would take for a formula as the server does,
// whatever the text is.
func TestPagesMarkFormulasAsTheServerDoes(t *testing.T) {
	node, _ := browserTools(t)
	clientstest.DependsOn(t, "../../web/src/parts")
	pieces := rapid.SampledFrom([]string{"'", "''", ";", ",", "\t", "\r", "\n", "\r\n", "=", "=1+1", "+1", "-", "@", "\"", " ", "\u00a0", "\u0085", "\u200b", "\ufeff", "\u202e", "\u2028", "x", "{", "＝", "＋", "－", "＠", "Ü", "😀", "\x01"})
	texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 7).Draw(t, "text"), "") }), 3000, 3000).Example()
	texts = append(texts, "＝1+1", " =1+1", `"=1+1`, "=1+1", "")
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	marking := exec.CommandContext(t.Context(), node, "../../web/journeys/harmless.mjs")
	marking.Stdin = bytes.NewReader(input)
	out, err := marking.Output()
	if err != nil {
		t.Fatal(err)
	}
	var marked []string
	if err := json.Unmarshal(out, &marked); err != nil || len(marked) != len(texts) {
		t.Fatalf("%d texts: %v", len(marked), err)
	}
	for i, text := range texts {
		if want := sheet.Harmless(text); marked[i] != want {
			t.Errorf("%q is %q to the page, and %q to the server", text, marked[i], want)
		}
	}
}
