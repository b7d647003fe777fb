// Chart renders deploy/chart with several values and checks the result: every object is a
// valid Kubernetes object without unknown fields, the labels match each other, and mneme
// reads the configuration. Invalid values are rejected by name.
//
//	go run . HELM MNEME CHART
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const issuers = `config: {auth: {issuers: [{issuer: "https://a.example", audience: mneme, jwks: "https://a.example/keys", algorithm: RS256, subjects: ["*"], max_taint: INTERNAL}]}}`

// Values that render, and the number of objects that they produce.
var rendered = []struct {
	values  string
	objects int
}{
	{`{}`, 6}, // everything in one pod
	{`{persistence: {accessMode: ReadWriteMany}, serviceAccount: {annotations: {a: b}}}`, 6},
	{`{storage: postgres, postgres: {existingSecret: db}, milvus: {addr: "milvus:19530"}}`, 6},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, startupProbe: null, networkPolicy: {enabled: false}}`, 5},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, startupProbe: {failureThreshold: 9000}}`, 6},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, config: {tls: {cert: /tls/tls.crt, key: /tls/tls.key}}}`, 6},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, persistence: {accessMode: ReadWriteOncePod}}`, 6},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, persistence: {accessMode: ReadWriteMany}, replicas: 2, ` + issuers + `}`, 7},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, serviceMonitor: {enabled: true, tokenSecret: t}, config: {tls: {cert: /tls/tls.crt, key: /tls/tls.key}}}`, 7},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, serviceMonitor: {enabled: true, tokenSecret: t, tlsConfig: {serverName: a.example, ca: {secret: {name: ca, key: ca.crt}}}}` +
		`, config: {tls: {cert: /tls/tls.crt, key: /tls/tls.key}}}`, 7},
	{`{storage: postgres, postgres: {existingSecret: db}, vector: flat, serviceMonitor: {enabled: true}, config: {connections: {operators: [10.0.0.0/8]}}}`, 7},
	{`{storage: postgres, postgres: {existingSecret: db}, milvus: {addr: "m:19530", user: u, existingSecret: m}, persistence: {enabled: false}, replicas: 3, ` + issuers +
		`, ingress: {enabled: true, host: memory.example.com, tlsSecret: cert, className: nginx, annotations: {a: b}}, serviceMonitor: {enabled: true, labels: {release: p}, tokenSecret: t}` +
		`, env: [{name: MNEME_LOG_LEVEL, value: warn}], resources: {limits: {memory: 850M}}, pullSecrets: [registry], nodeSelector: {a: b}` +
		`, tolerations: [{key: a, operator: Exists}], podAnnotations: {a: b}, podLabels: {c: d}, networkPolicy: {fromPods: {e: f}}}`, 8},
}

// Values that are rejected, and the words of the error.
var refused = map[string]string{
	`{storage: postgres, vector: flat}`:                   "postgres.existingSecret",
	`{postgres: {existingSecret: db}}`:                    "set storage to postgres",
	`{storage: mysql}`:                                    "storage",
	`{replicas: 2, ` + issuers + `}`:                      "SQLite serves one pod",
	`{persistence: {enabled: false}}`:                     "persistence.enabled",
	`{config: {storage: sqlite}}`:                         "config.storage",
	`{vector: milvus}`:                                    "milvus.addr",
	`{storage: postgres, postgres: {existingSecret: db}}`: "milvus.addr",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, replicas: 2}`:                          "config.auth.issuers",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, replicas: 2, ` + issuers + `}`:         "ReadWriteOnce",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, ingress: {enabled: true}}`:             "ingress.host",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, resources: {limits: {memory: "1Pi"}}}`: "resources.limits.memory",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, serviceMonitor: {enabled: true}}`:      "serviceMonitor.tokenSecret",
	`{storage: postgres, postgres: {existingSecret: db}, vector: faiss}`:                                      "vector",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, replica: 2}`:                           "replica",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, startupProbe: {failureThreshold: 0}}`:  "failureThreshold",
	`{postgres: {existingSecret: db, dsn: "postgres://u:p@h/d"}, vector: flat}`:                               "dsn",
	`{storage: postgres, postgres: {existingSecret: db}, vector: flat, replicas: 2, ` +
		`persistence: {accessMode: ReadWriteOncePod}, ` + issuers + `}`: "ReadWriteOncePod",
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
	fmt.Printf("%d renderings decode strictly, %d are refused\n", len(rendered), len(refused))
}

func run(helm, mneme, chart string) error {
	for _, c := range rendered {
		out, err := render(helm, chart, c.values)
		if err != nil {
			return fmt.Errorf("%s: %w", c.values, err)
		}
		if err := check(out, mneme, c.values, c.objects); err != nil {
			return fmt.Errorf("%s: %w", c.values, err)
		}
	}
	for values, reason := range refused {
		if _, err := render(helm, chart, values); err == nil || !strings.Contains(err.Error(), reason) {
			return fmt.Errorf("%s: not refused with %s: %w", values, reason, err)
		}
	}
	return nil
}

// render returns the output of helm template for the values.
func render(helm, chart, values string) ([]byte, error) {
	c := exec.Command(helm, "template", "mneme", chart, "--values", "-")
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(values), &out, &errs
	if err := c.Run(); err != nil {
		return nil, errors.New(errs.String())
	}
	return out.Bytes(), nil
}

// check decodes the objects and checks them against each other and the values.
func check(rendering []byte, mneme, values string, objects int) error {
	kinds := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, policyv1.AddToScheme, networkingv1.AddToScheme} {
		if err := add(kinds); err != nil {
			return err
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, kinds, kinds, json.SerializerOptions{Yaml: true, Strict: true})
	var pods map[string]string
	var deployment appsv1.DeploymentSpec
	var claim []corev1.PersistentVolumeAccessMode
	var watched *monitor
	var selectors []map[string]string
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(rendering)))
	for n := 0; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			if n != objects {
				return fmt.Errorf("%d objects, not %d", n, objects)
			}
			break
		}
		if err != nil {
			return err
		}
		if bytes.Contains(document, []byte("kind: ServiceMonitor")) {
			watched = new(monitor) // the Prometheus operator's, not Kubernetes' own
			if err := yaml.Unmarshal(document, watched); err != nil {
				return err
			}
			continue
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			return fmt.Errorf("object %d: %w", n+1, err)
		}
		switch o := object.(type) {
		case *appsv1.Deployment:
			deployment, pods = o.Spec, o.Spec.Template.Labels
			selectors = append(selectors, o.Spec.Selector.MatchLabels)
			if err := checkPod(o.Spec.Template.Spec); err != nil {
				return err
			}
			if err := checkSecrets(o.Spec.Template.Spec, values); err != nil {
				return err
			}
		case *corev1.PersistentVolumeClaim:
			claim = o.Spec.AccessModes
		case *corev1.Service:
			selectors = append(selectors, o.Spec.Selector)
		case *policyv1.PodDisruptionBudget:
			selectors = append(selectors, o.Spec.Selector.MatchLabels)
		case *networkingv1.NetworkPolicy:
			selectors = append(selectors, o.Spec.PodSelector.MatchLabels)
		case *corev1.ConfigMap:
			if err := checkConfig(mneme, o.Data["mneme.yaml"]); err != nil {
				return err
			}
		case *corev1.Secret:
			return errors.New("the chart makes a Secret")
		}
	}
	for _, s := range selectors {
		for label, value := range s {
			if pods[label] != value {
				return fmt.Errorf("nothing is selected by %s=%s", label, value)
			}
		}
	}
	if err := checkUpgrade(deployment, claim); err != nil {
		return err
	}
	if err := checkStartup(deployment.Template.Spec.Containers[0].StartupProbe, values); err != nil {
		return err
	}
	return watched.check(deployment.Template.Spec.Containers[0].ReadinessProbe.HTTPGet.Scheme)
}

// checkUpgrade checks that a new pod does not wait for a volume that the old pod holds
// until the new one is ready.
func checkUpgrade(deployment appsv1.DeploymentSpec, claim []corev1.PersistentVolumeAccessMode) error {
	exclusive := len(claim) > 0 && claim[0] != corev1.ReadWriteMany || !usesPostgres(deployment.Template.Spec)
	if got := deployment.Strategy.Type; (got == appsv1.RecreateDeploymentStrategyType) != exclusive {
		return fmt.Errorf("the strategy of a deployment with a volume of %v is %q", claim, got)
	}
	return nil
}

// usesPostgres reports whether the pod gets the connection string of a database.
func usesPostgres(pod corev1.PodSpec) bool {
	return slices.ContainsFunc(pod.Containers[0].Env, func(e corev1.EnvVar) bool { return e.Name == "MNEME_POSTGRES_DSN" })
}

// checkSecrets checks that the embedded default refers to no Secret, and that another
// storage gets its own.
func checkSecrets(pod corev1.PodSpec, values string) error {
	var given struct{ Storage string }
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		return err
	}
	if usesPostgres(pod) != (given.Storage == "postgres") {
		return fmt.Errorf("storage %q: a Secret of PostgreSQL: %t", given.Storage, usesPostgres(pod))
	}
	return nil
}

// checkStartup checks that the start limit of a pod is the one in the values.
func checkStartup(probe *corev1.Probe, values string) error {
	var given struct{ StartupProbe corev1.Probe }
	given.StartupProbe.FailureThreshold = 150
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		return err
	}
	if want := given.StartupProbe.FailureThreshold; probe.FailureThreshold != want {
		return fmt.Errorf("the startup probe may fail %d times, not %d", probe.FailureThreshold, want)
	}
	return nil
}

// monitor has the fields of a ServiceMonitor that check reads.
type monitor struct {
	Spec struct {
		Endpoints []struct {
			Scheme    string `json:"scheme"`
			TLSConfig struct {
				InsecureSkipVerify bool           `json:"insecureSkipVerify"`
				CA                 map[string]any `json:"ca"`
			} `json:"tlsConfig"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// check checks that Prometheus uses the scheme of the probes, and verifies certificates
// only if an authority is named.
func (m *monitor) check(probes corev1.URIScheme) error {
	if m == nil {
		return nil
	}
	e := m.Spec.Endpoints[0]
	secure := probes == corev1.URISchemeHTTPS
	if (e.Scheme == "https") != secure {
		return fmt.Errorf("the scheme of the ServiceMonitor is %q, that of probes %q", e.Scheme, probes)
	}
	if skip := secure && len(e.TLSConfig.CA) == 0; e.TLSConfig.InsecureSkipVerify != skip {
		return fmt.Errorf("insecureSkipVerify is %t with the authority %v", e.TLSConfig.InsecureSkipVerify, e.TLSConfig.CA)
	}
	return nil
}

// checkPod checks that the container is as restricted as the image allows, and that its
// mounts exist.
func checkPod(pod corev1.PodSpec) error {
	c := pod.Containers[0]
	s := c.SecurityContext
	if !*pod.SecurityContext.RunAsNonRoot || !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || *pod.AutomountServiceAccountToken {
		return errors.New("the pod may do more than it needs")
	}
	volumes := make(map[string]bool)
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] {
			return fmt.Errorf("no volume %s", m.Name)
		}
	}
	for _, e := range c.Env {
		if e.Name != "GOMEMLIMIT" {
			continue
		}
		if limit := c.Resources.Limits.Memory().Value(); e.Value != fmt.Sprint(limit*85/100) {
			return fmt.Errorf("GOMEMLIMIT is %s for a limit of %d", e.Value, limit)
		}
		return nil
	}
	return errors.New("GOMEMLIMIT is not set")
}

// checkConfig checks that mneme reads the file.
func checkConfig(mneme, config string) error {
	dir, err := os.MkdirTemp("", "chart")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mneme.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return err
	}
	c := exec.Command(mneme, "config", "show", "--config", path)
	c.Env = append(os.Environ(), "MNEME_POSTGRES_DSN=postgres://u@h/d")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("mneme does not read the configuration: %s", out)
	}
	return nil
}
