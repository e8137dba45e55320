package outside_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/clientstest"
)

var (
	ourMetric = regexp.MustCompile(`\bupline_[a-z_]+`)
	alertName = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)
)

// Every metric that an alert or the dashboard names is one that the server shows, and
// every alert has its page in the runbook, which has no others.
func TestAlertsAndDashboardFitTheMetrics(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.As(apptest.Acme).REST(t, http.MethodGet, "/agents", nil)
		shown := map[string]bool{}
		for _, name := range ourMetric.FindAllString(w.Metrics(), -1) {
			shown[name] = true
		}
		for _, file := range []string{"prometheus/rules.yaml", "prometheus/rules_test.yaml", "grafana/upline.json"} {
			names := ourMetric.FindAllString(deployed(t, file), -1)
			if len(names) < 10 {
				t.Errorf("%s names %d metrics", file, len(names))
			}
			for _, name := range names {
				if !shown[name] {
					t.Errorf("%s names %s, which the server does not show", file, name)
				}
			}
		}
	})
	rules, runbook := deployed(t, "prometheus/rules.yaml"), deployed(t, "../docs/runbook.md")
	alerts := alertName.FindAllStringSubmatch(rules, -1)
	for _, alert := range alerts {
		if !strings.Contains(runbook, "\n## "+alert[1]+"\n") || !strings.Contains(rules, "docs/runbook.md#"+strings.ToLower(alert[1])+`"`) {
			t.Errorf("%s has no page in the runbook, or does not lead there", alert[1])
		}
		if !strings.Contains(deployed(t, "prometheus/rules_test.yaml"), "alertname: "+alert[1]+"\n") {
			t.Errorf("%s has no test", alert[1])
		}
	}
	if pages := strings.Count(runbook, "\n## "); pages != len(alerts) || pages == 0 {
		t.Errorf("%d pages, %d alerts", pages, len(alerts))
	}
}

// The alerts fire when they should, and not otherwise.
func TestAlertRules(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not there: install prometheus")
	}
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		run := exec.CommandContext(t.Context(), promtool, args...)
		run.Dir = filepath.Join("..", "..", "deploy", "prometheus")
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// The chart, with nothing and with everything switched on, is what Kubernetes takes, and
// does what it says. The tests are a module of their own, deploy/helm, since they need Helm.
func TestChart(t *testing.T) {
	t.Parallel() // another process works
	const folder = "../deploy/helm"
	clientstest.Run(t, folder, clientstest.Modules(t, folder, "-test", "./..."), "go", "test", "./...")
}

// What the chart's ServiceMonitor scrapes is the job that alerts and dashboard select.
func TestJobOfTheChart(t *testing.T) {
	monitor, helpers := deployed(t, "helm/upline/templates/servicemonitor.yaml"), deployed(t, "helm/upline/templates/_helpers.tpl")
	if !strings.Contains(monitor, "\n  jobLabel: app.kubernetes.io/name\n") || !strings.Contains(helpers, "\napp.kubernetes.io/name: upline\n") {
		t.Error("the job is not upline")
	}
	for _, file := range []string{"prometheus/rules.yaml", "grafana/upline.json"} {
		jobs := regexp.MustCompile(`job=\\?"(\w+)`).FindAllStringSubmatch(deployed(t, file), -1)
		if len(jobs) == 0 {
			t.Errorf("%s selects no job", file)
		}
		for _, job := range jobs {
			if job[1] != "upline" {
				t.Errorf("%s selects the job %s", file, job[1])
			}
		}
	}
}

var appVersion = regexp.MustCompile(`(?m)^appVersion: "(.+)"$`)

// The chart, compose.yaml and the CHANGELOG know the same release, whose image "make
// image" makes.
func TestOneReleaseIsNamed(t *testing.T) {
	version := appVersion.FindStringSubmatch(deployed(t, "helm/upline/Chart.yaml"))
	if version == nil {
		t.Fatal("the chart has no appVersion")
	}
	images := regexp.MustCompile(`image: \$\{UPLINE_IMAGE:-upline:(.+)\}`).FindAllStringSubmatch(deployed(t, "../compose.yaml"), -1)
	if len(images) == 0 {
		t.Error("compose.yaml names no image")
	}
	for _, image := range images {
		if image[1] != version[1] {
			t.Errorf("compose.yaml asks for %s, the chart for %s", image[1], version[1])
		}
	}
	if maker, err := exec.LookPath("make"); err == nil {
		would, err := exec.CommandContext(t.Context(), maker, "-n", "-C", filepath.Join("..", ".."), "image").CombinedOutput()
		if err != nil || !strings.Contains(string(would), " -t upline:"+version[1]+" .") {
			t.Errorf("make image does not make %s: %v\n%s", version[1], err, would)
		}
	}
	if !strings.Contains(deployed(t, "../CHANGELOG.md"), "\n## "+version[1]+" – ") {
		t.Errorf("the CHANGELOG has no %s", version[1])
	}
}

func deployed(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var exposureOf = regexp.MustCompile(`exposure level for upline\.service: ([0-9.]+) `)

// The systemd unit leaves the program next to nothing that it does not need.
func TestUnitIsHardened(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not there")
	}
	out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=yes", "--no-pager", filepath.Join("..", "..", "deploy", "systemd", "upline.service")).CombinedOutput()
	found := exposureOf.FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if exposure, err := strconv.ParseFloat(string(found[1]), 64); err != nil || exposure > 2 {
		t.Errorf("the exposure is %s, %v; want 2.0 at most", found[1], err)
	}
}
