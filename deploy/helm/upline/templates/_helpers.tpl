{{- define "upline.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "upline.selector" . }}
{{- end }}

{{- define "upline.selector" -}}
app.kubernetes.io/name: upline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "upline.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The user of the image, a root that nobody can write, and no right beyond. */}}
{{- define "upline.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "upline.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* What both the server and the migration are told. */}}
{{- define "upline.environment" -}}
- name: UPLINE_KEY
  valueFrom:
    secretKeyRef: {name: {{ .Values.keySecret.name }}, key: {{ .Values.keySecret.key }}}
- name: UPLINE_DATABASE
  valueFrom:
    secretKeyRef: {name: {{ .database.name }}, key: {{ .database.key | default "url" }}}
{{- with include "upline.memoryLimit" . }}
- name: GOMEMLIMIT
  value: {{ . | quote }}
{{- end }}
{{- if .Values.caBundle }}
# Beside the authorities of the image, not in their place.
- name: SSL_CERT_DIR
  value: /etc/upline/ca
{{- end }}
{{- range $name, $value := .Values.environment }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.extraEnvironment }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Four fifths of the memory limit, in bytes: from there on Go collects sooner, before
the kernel ends the process. The rest is for temporary files and pages of the program. */}}
{{- define "upline.memoryLimit" -}}
{{- with (.Values.resources.limits | default dict).memory }}
{{- $text := kindIs "string" . | ternary . (. | int64 | toString) }}
{{- $unit := regexFind "[A-Za-z]*$" $text }}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 }}
{{- $bytes := $unit | empty | ternary 1 (get $units $unit) }}
{{- if not $bytes }}{{ fail (printf "resources.limits.memory: %q has no unit of Ki, Mi, Gi, Ti, k, M, G, T" $text) }}{{ end }}
{{- mulf (trimSuffix $unit $text) $bytes 0.8 | floor | int64 }}
{{- end }}
{{- end }}

{{- define "upline.mounts" -}}
{{- if .Values.caBundle }}
- {name: ca, mountPath: /etc/upline/ca, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "upline.volumes" -}}
{{- with .Values.caBundle }}
- name: ca
  {{- if .secret }}
  secret: {secretName: {{ .secret }}}
  {{- else }}
  configMap: {name: {{ required "caBundle: a secret or a configMap" .configMap }}}
  {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "upline.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The versions of what pods read from elsewhere, as the cluster has it: none where the
chart is rendered without one. Versions, since a hash would tell of a weak password. */}}
{{- define "upline.references" -}}
{{- $secrets := list .Values.databaseSecret.name .Values.keySecret.name .Values.readDatabaseSecret.name .Values.caBundle.secret }}
{{- $maps := list .Values.caBundle.configMap }}
{{- range .Values.extraVolumes }}
{{- $secrets = append $secrets (dig "secret" "secretName" "" .) }}
{{- $maps = append $maps (dig "configMap" "name" "" .) }}
{{- end }}
{{- range .Values.extraEnvironment }}
{{- $secrets = append $secrets (dig "valueFrom" "secretKeyRef" "name" "" .) }}
{{- $maps = append $maps (dig "valueFrom" "configMapKeyRef" "name" "" .) }}
{{- end }}
{{- range $kind, $names := dict "Secret" $secrets "ConfigMap" $maps }}
{{- range $names | compact | uniq | sortAlpha }}
{{- with lookup "v1" $kind $.Release.Namespace . }}
{{- printf "%s/%s %s\n" $kind .metadata.name .metadata.resourceVersion }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The ports of the collectors that variables of OpenTelemetry name. */}}
{{- define "upline.otlpPorts" -}}
{{- $ports := list }}
{{- range $of := list "" "_TRACES" "_METRICS" }}
{{- with index $.Values.environment (printf "OTEL_EXPORTER_OTLP%s_ENDPOINT" $of) }}
{{- $url := urlParse . }}
{{- $ports = append $ports (regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "https" | ternary "443" "80")) }}
{{- end }}
{{- end }}
{{- $ports | uniq | join " " }}
{{- end }}
