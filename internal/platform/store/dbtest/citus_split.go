package dbtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// splitReasons are the statements that Citus sends to several shards, by how they begin,
// with the reason. All others have to say whose they are, in every table that they name.
var splitReasons = map[string]string{}

// unexplained returns the statements of this process that Citus sent to several shards for
// no known reason.
func (s *server) unexplained() ([]string, error) {
	if s.citus == nil || s.err != nil {
		return nil, nil
	}
	file, err := os.Open(s.data() + "-log/split.json")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := map[string]int{}
	for lines := json.NewDecoder(file); ; {
		var line struct{ Message, Statement string }
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if statement := strings.Join(strings.Fields(line.Statement), " "); strings.HasPrefix(line.Message, "multi-task query") && !isExplained(statement) {
			found[statement]++
		}
	}
	var all []string
	for statement, n := range found {
		all = append(all, fmt.Sprintf("%d × %s", n, statement))
	}
	slices.Sort(all)
	return all, nil
}

func isExplained(statement string) bool {
	for begins := range splitReasons {
		if strings.HasPrefix(statement, begins) {
			return true
		}
	}
	return false
}

// failSplit says what Citus sent to several shards, and fails the package for it.
func failSplit(code int) int {
	split, err := postgres.unexplained()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, statement := range split {
		fmt.Println("FAIL: sent to several shards:", statement)
		code = 1
	}
	return code
}
