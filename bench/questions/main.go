// Command questions asks a server a thousand questions that nobody has named: any root field of the
// schema with any filter, order, page, day, instant and selection, every insight, every dataset and
// every path of REST, about agents at the bottom, in the middle and at the top. It tells which cost
// most, and what the server says that they cost.
//
//	upline demo --agents 100000 --data /tmp/large --addr 127.0.0.1:8090 &
//	go run ./bench/questions -server http://127.0.0.1:8090 -pids $!
//
// The same seed draws the same forms of questions in an agency of another size. With -before, the
// answers of a run there, which -write has written, it tells what grew with the agency.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

type options struct {
	server, tenant, client, schema, write, before, pids, only string
	questions, worst                                          int
	seed                                                      uint64
}

func main() {
	var o options
	flag.StringVar(&o.server, "server", "http://127.0.0.1:8080", "address of the server")
	flag.StringVar(&o.tenant, "tenant", "demo", "tenant that is asked")
	flag.StringVar(&o.client, "client", "demo:demo-secret", "client and secret that ask")
	flag.StringVar(&o.schema, "schema", "schema.graphql", "file with the schema")
	flag.StringVar(&o.pids, "pids", "", "processes whose time is counted, by comma, with all that they have begun: those of the server and of PostgreSQL")
	flag.StringVar(&o.write, "write", "", "file that the figures are written to, one question in a line")
	flag.StringVar(&o.before, "before", "", "file of a run at another size, to compare with")
	flag.StringVar(&o.only, "only", "", "asks only what contains this")
	flag.IntVar(&o.questions, "n", 1000, "questions to draw")
	flag.IntVar(&o.worst, "worst", 25, "questions to show")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the questions")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "questions:", err)
		os.Exit(1)
	}
}

// figures are what a question took.
type figures struct {
	Question string        `json:"question"`
	Status   string        `json:"status"` // "ok", or why it was refused
	Took     time.Duration `json:"took"`   // the least of several times
	CPU      time.Duration `json:"cpu"`    // of the processes that are counted; 0 if none are
	Cost     int           `json:"cost"`   // as the server says
	Bytes    int           `json:"bytes"`
}

func run(o options) error {
	a, err := newAsker(o)
	if err != nil {
		return err
	}
	known, err := a.gather()
	if err != nil {
		return err
	}
	d := &drawer{schema: a.schema, openAPI: a.openAPI, known: known, tenant: o.tenant}
	var all []figures
	for n := range o.questions {
		d.Rand = rand.New(rand.NewPCG(o.seed, uint64(n)))
		q := d.question()
		if !strings.Contains(q.text, o.only) {
			continue
		}
		f, err := a.measure(q)
		if err != nil {
			return err
		}
		f.Question = fmt.Sprintf("%d %s", n, q.text)
		if all = append(all, f); f.Took > 2*time.Second {
			fmt.Printf("%v %s %s\n", f.Took.Round(time.Millisecond), f.Status, f.Question)
		}
	}
	report(all, o)
	if o.write == "" {
		return nil
	}
	var lines strings.Builder
	for _, f := range all {
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	return os.WriteFile(o.write, []byte(lines.String()), 0o600)
}

// report tells the dearest questions, how well their costs say so, and what grew.
func report(all []figures, o options) {
	refused := map[string]int{}
	ok := slices.DeleteFunc(slices.Clone(all), func(f figures) bool {
		if f.Status != "ok" {
			refused[f.Status]++
		}
		return f.Status != "ok"
	})
	for why, n := range refused {
		fmt.Printf("%5d refused: %s\n", n, why)
	}
	dear := func(f figures) time.Duration { return cmp.Or(f.CPU, f.Took) }
	slices.SortFunc(ok, func(a, b figures) int { return cmp.Compare(dear(b), dear(a)) })
	if len(ok) == 0 {
		fmt.Println("nothing was answered")
		return
	}
	fmt.Printf("%d answered; of processor time half under %v, p99 %v, %d over one second\n", len(ok), dear(ok[len(ok)/2]).Round(10*time.Microsecond), dear(ok[len(ok)/100]).Round(time.Millisecond),
		len(slices.DeleteFunc(slices.Clone(ok), func(f figures) bool { return dear(f) <= time.Second })))
	before, err := readFigures(o.before)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Println(err)
	}
	show := func(f figures) {
		fmt.Printf("%9v %9v cost %6d %8d bytes %5.1f× %s\n", f.CPU.Round(10*time.Microsecond), f.Took.Round(10*time.Microsecond), f.Cost, f.Bytes, growth(f, before), f.Question)
	}
	for _, f := range ok[:min(o.worst, len(ok))] {
		show(f)
	}
	reportCosts(ok, dear)
	if before == nil {
		return
	}
	slices.SortFunc(ok, func(a, b figures) int { return cmp.Compare(growth(b, before), growth(a, before)) })
	fmt.Println("grew most:")
	for _, f := range ok[:min(o.worst, len(ok))] {
		show(f)
	}
}

// reportCosts tells for how many questions Operation-Cost is within a factor of three of the time,
// in the unit that fits most.
func reportCosts(ok []figures, dear func(figures) time.Duration) {
	var units []float64
	for _, f := range ok {
		if f.Cost > 0 {
			units = append(units, float64(dear(f))/float64(f.Cost))
		}
	}
	if len(units) == 0 {
		return
	}
	slices.Sort(units)
	best, unit := 0, 0.0
	for i, u := range units {
		if n, _ := slices.BinarySearch(units[i:], 9*u); n > best {
			best, unit = n, 3*u
		}
	}
	fmt.Printf("Operation-Cost is within three times of the time of %d of %d, at %v a point\n", best, len(units), time.Duration(unit).Round(10*time.Nanosecond))
}

// growth is how often as long a question took as in the run before; 0 if that did not ask it. What
// takes less than a millisecond is mostly the frame of the request.
func growth(f figures, before map[string]figures) float64 {
	number, _, _ := strings.Cut(f.Question, " ")
	b, ok := before[number]
	if !ok || b.Status != "ok" {
		return 0
	}
	return float64(max(cmp.Or(f.CPU, f.Took), time.Millisecond)) / float64(max(cmp.Or(b.CPU, b.Took), time.Millisecond))
}

// readFigures reads a file of -write by the numbers of its questions.
func readFigures(file string) (map[string]figures, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all := map[string]figures{}
	for line := range strings.Lines(string(text)) {
		var f figures
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(f.Question, " ")
		all[number] = f
	}
	return all, nil
}
