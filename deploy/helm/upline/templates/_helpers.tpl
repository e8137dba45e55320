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
{{- end }}
