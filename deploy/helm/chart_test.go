// Package helm_test renders the chart as Helm does, and reads what comes out as Kubernetes
// does: a field that no kind of object has is refused. It is a module of its own, so that
// nothing of Helm is among what Upline is built of.
package helm_test

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	scaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
)

// cluster is what "lookup" finds.
type cluster struct{ dynamic.Interface }

// GetClientFor implements engine.ClientProvider.
func (c cluster) GetClientFor(_, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	return c.Resource(schema.GroupVersionResource{Version: "v1", Resource: strings.ToLower(kind) + "s"}), true, nil
}

// render returns the objects of a release "blue" with a file of values and others on top,
// in a cluster with some objects.
func render(t *testing.T, file string, others map[string]any, in ...runtime.Object) ([]runtime.Object, error) {
	t.Helper()
	chart, err := loader.Load("upline")
	if err != nil {
		t.Fatal(err)
	}
	given, err := chartutil.ReadValuesFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	values, err := chartutil.ToRenderValues(chart, chartutil.CoalesceTables(others, given), chartutil.ReleaseOptions{Name: "blue", Namespace: "insurance", IsInstall: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.RenderWithClientProvider(chart, values, cluster{fake.NewSimpleDynamicClient(scheme.Scheme, in...)})
	if err != nil {
		return nil, err
	}
	delete(files, "upline/templates/NOTES.txt")
	var objects []runtime.Object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, text := range regexp.MustCompile(`(?m)^---$`).Split(files[name], -1) {
			if strings.TrimSpace(text) == "" {
				continue
			}
			object, _, err := decoder(t).Decode([]byte(text), nil, nil)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			objects = append(objects, object)
		}
	}
	return objects, nil
}

// decoder reads objects strictly.
func decoder(t *testing.T) runtime.Decoder {
	t.Helper()
	kinds := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, monitoring.AddToScheme} {
		if err := add(kinds); err != nil {
			t.Fatal(err)
		}
	}
	return serializer.NewCodecFactory(kinds, serializer.EnableStrict).UniversalDeserializer()
}

// only returns the object of a type; a test fails if there is another number of them.
func only[T runtime.Object](t *testing.T, objects []runtime.Object) T {
	t.Helper()
	var found []T
	for _, object := range objects {
		if o, is := object.(T); is {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of type %T", len(found), *new(T))
	}
	return found[0]
}

// must renders a file of values.
func must(t *testing.T, file string) []runtime.Object {
	t.Helper()
	objects, err := render(t, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func variables(c core.Container) map[string]string {
	values := map[string]string{}
	for _, v := range c.Env {
		values[v.Name] = v.Value
	}
	return values
}

// With what must be set nothing else is there, and what must be set is asked for.
func TestLeast(t *testing.T) {
	objects := must(t, "least.yaml")
	kinds := map[string]int{}
	for _, object := range objects {
		kinds[object.GetObjectKind().GroupVersionKind().Kind]++
	}
	if want := map[string]int{"Deployment": 1, "Job": 1, "NetworkPolicy": 1, "PodDisruptionBudget": 1, "Service": 2}; !maps.Equal(kinds, want) {
		t.Errorf("there are %v", kinds)
	}
	server := only[*apps.Deployment](t, objects)
	pod := server.Spec.Template.Spec
	if *server.Spec.Replicas != 2 || pod.Affinity.PodAntiAffinity == nil || only[*batch.Job](t, objects).Spec.Template.Spec.Affinity != nil {
		t.Errorf("replicas %d, affinity %v", *server.Spec.Replicas, pod.Affinity)
	}
	if got := pod.Containers[0].Image; !regexp.MustCompile(`^registry\.example/upline:\d+\.\d+\.\d+$`).MatchString(got) {
		t.Errorf("the image is %s", got)
	}
	if policy := only[*networking.NetworkPolicy](t, objects); len(policy.Spec.Ingress) != 1 || len(policy.Spec.Egress) != 3 {
		t.Errorf("nothing was switched on, and the network is open for %v, %v", policy.Spec.Ingress, policy.Spec.Egress)
	}
	if _, err := render(t, "least.yaml", map[string]any{"issuer": ""}); err == nil || !strings.Contains(err.Error(), "issuer: the address that clients see") {
		t.Errorf("without an issuer: %v", err)
	}
}

// GOMEMLIMIT is four fifths of the limit, in each way to write one.
func TestMemoryLimit(t *testing.T) {
	for limit, want := range map[any]string{"1Gi": "858993459", "512Mi": "429496729", "1.5G": "1200000000", "1000000": "800000", 2147483648.0: "1717986918", nil: ""} {
		objects, err := render(t, "least.yaml", map[string]any{"resources": map[string]any{"limits": map[string]any{"memory": limit}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, containers := range [][]core.Container{only[*apps.Deployment](t, objects).Spec.Template.Spec.Containers, only[*batch.Job](t, objects).Spec.Template.Spec.Containers} {
			if got := variables(containers[0])["GOMEMLIMIT"]; got != want {
				t.Errorf("of %v it is %q, want %q", limit, got, want)
			}
		}
	}
	if _, err := render(t, "least.yaml", map[string]any{"resources": map[string]any{"limits": map[string]any{"memory": "1m"}}}); err == nil {
		t.Error("a thousandth of a byte is taken")
	}
}

// The server and the migration have the same files, authorities, variables and nodes.
func TestPodsHaveWhatIsGiven(t *testing.T) {
	objects := must(t, "everything.yaml")
	server, migration := only[*apps.Deployment](t, objects).Spec.Template.Spec, only[*batch.Job](t, objects).Spec.Template.Spec
	for name, pod := range map[string]core.PodSpec{"server": server, "migration": migration} {
		c := pod.Containers[0]
		if v := variables(c); v["SSL_CERT_DIR"] != "/etc/upline/ca" || v["UPLINE_EXTERNAL_ISSUERS"] == "" {
			t.Errorf("%s has the variables %v", name, v)
		}
		if !slices.ContainsFunc(c.Env, func(v core.EnvVar) bool { return v.ValueFrom != nil && v.ValueFrom.SecretKeyRef.Name == "collector" }) {
			t.Errorf("%s has no variable of a secret: %v", name, c.Env)
		}
		mounted := map[string]string{}
		for _, m := range c.VolumeMounts {
			mounted[m.MountPath] = m.Name
		}
		from := map[string]string{}
		for _, v := range pod.Volumes {
			if v.ConfigMap != nil {
				from[v.Name] = v.ConfigMap.Name
			}
		}
		if from[mounted["/etc/upline/ca"]] != "upline-ca" || from[mounted["/etc/upline/issuers"]] != "upline-issuers" {
			t.Errorf("%s: mounted %v from %v", name, mounted, from)
		}
		if pod.NodeSelector["disk"] != "fast" || len(pod.Tolerations) != 1 || pod.Affinity.NodeAffinity == nil || len(pod.ImagePullSecrets) != 1 {
			t.Errorf("%s runs at %v, %v, %v", name, pod.NodeSelector, pod.Tolerations, pod.Affinity)
		}
	}
	spread := server.TopologySpreadConstraints
	if len(spread) != 1 || spread[0].LabelSelector.MatchLabels["app.kubernetes.io/instance"] != "blue" || spread[0].MaxSkew != 1 {
		t.Errorf("the pods spread by %v", spread)
	}
	if got := migration.Containers[0].Env[1].ValueFrom.SecretKeyRef.Name; got != "upline-owner" {
		t.Errorf("the migration has the URL of %s", got)
	}
}

// An autoscaler says how many replicas there are, and nobody else.
func TestAutoscaler(t *testing.T) {
	objects := must(t, "everything.yaml")
	scaler, server := only[*scaling.HorizontalPodAutoscaler](t, objects), only[*apps.Deployment](t, objects)
	if server.Spec.Replicas != nil || scaler.Spec.ScaleTargetRef.Name != server.Name || *scaler.Spec.MinReplicas != 2 || scaler.Spec.MaxReplicas != 6 {
		t.Errorf("replicas %v, scaled by %v", server.Spec.Replicas, scaler.Spec)
	}
}

// What is switched on may pass: scrapes in, traces and metrics out.
func TestNetworkPolicy(t *testing.T) {
	policy := only[*networking.NetworkPolicy](t, must(t, "everything.yaml")).Spec
	if in := policy.Ingress; len(in) != 2 || in[1].Ports[0].Port.StrVal != "admin" || len(in[1].From) != 1 || in[1].From[0].NamespaceSelector == nil {
		t.Errorf("in: %v", in)
	}
	out := map[string]bool{}
	for _, rule := range policy.Egress {
		for _, port := range rule.Ports {
			out[port.Port.String()] = true
		}
	}
	if want := map[string]bool{"53": true, "5432": true, "4318": true, "443": true}; !maps.Equal(out, want) {
		t.Errorf("out: %v", out)
	}
	objects, err := render(t, "everything.yaml", map[string]any{"networkPolicy": map[string]any{"metricsFrom": []any{map[string]any{"podSelector": map[string]any{}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if from := only[*networking.NetworkPolicy](t, objects).Spec.Ingress[1].From; len(from) != 1 || from[0].PodSelector == nil || from[0].NamespaceSelector != nil {
		t.Errorf("who is named alone may scrape; got %v", from)
	}
}

// Prometheus finds the server as the job that the alerts select, and has the alerts.
func TestMonitoring(t *testing.T) {
	objects := must(t, "everything.yaml")
	monitor, rules := only[*monitoring.ServiceMonitor](t, objects), only[*monitoring.PrometheusRule](t, objects)
	if monitor.Labels["release"] != "prometheus" || rules.Labels["release"] != "prometheus" {
		t.Errorf("the labels are %v, %v", monitor.Labels, rules.Labels)
	}
	selector, err := meta.LabelSelectorAsSelector(&monitor.Spec.Selector)
	if err != nil {
		t.Fatal(err)
	}
	var scraped []*core.Service
	for _, object := range objects {
		if service, is := object.(*core.Service); is && selector.Matches(labels.Set(service.Labels)) {
			scraped = append(scraped, service)
		}
	}
	if len(scraped) != 1 || scraped[0].Spec.Ports[0].Name != monitor.Spec.Endpoints[0].Port {
		t.Fatalf("scraped are %v", scraped)
	}
	job := scraped[0].Labels[monitor.Spec.JobLabel]
	alerts := 0
	for _, group := range rules.Spec.Groups {
		for _, rule := range group.Rules {
			alerts++
			for _, selected := range regexp.MustCompile(`job="(.*?)"`).FindAllStringSubmatch(rule.Expr.String(), -1) {
				if selected[1] != job {
					t.Errorf("%s selects the job %s, and there is %s", rule.Alert, selected[1], job)
				}
			}
		}
	}
	file, err := os.Open("upline/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if want := strings.Count(string(text), "- alert: "); err != nil || alerts != want || alerts == 0 {
		t.Errorf("%d alerts of %d, %v", alerts, want, err)
	}
}

// An upgrade replaces the pods when something has changed that they read from elsewhere.
func TestPodsRollWithTheirSecrets(t *testing.T) {
	rolled := func(change string) string {
		var in []runtime.Object
		for _, name := range []string{"upline-database", "upline-key", "upline-replica", "collector", "another"} {
			in = append(in, &core.Secret{TypeMeta: meta.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: about(name, change)})
		}
		for _, name := range []string{"upline-ca", "upline-issuers"} {
			in = append(in, &core.ConfigMap{TypeMeta: meta.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: about(name, change)})
		}
		objects, err := render(t, "everything.yaml", nil, in...)
		if err != nil {
			t.Fatal(err)
		}
		return only[*apps.Deployment](t, objects).Spec.Template.Annotations["upline/references"]
	}
	before := rolled("")
	for _, changed := range []string{"upline-database", "upline-key", "upline-replica", "collector", "upline-ca", "upline-issuers"} {
		if rolled(changed) == before {
			t.Errorf("a change of %s rolls no pod", changed)
		}
	}
	if rolled("another") != before {
		t.Error("a change of another secret rolls the pods")
	}
}

// about describes an object, of another version if it is the one that changed.
func about(name, changed string) meta.ObjectMeta {
	version := "1"
	if name == changed {
		version = "2"
	}
	return meta.ObjectMeta{Name: name, Namespace: "insurance", ResourceVersion: version}
}
