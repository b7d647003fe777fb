{{- define "mneme.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "mneme.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mneme.labels" -}}
{{ include "mneme.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "mneme.image" -}}
{{ .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The vector index: the one in the values, else the storage's usual one. */}}
{{- define "mneme.vector" -}}
{{- .Values.vector | default (ternary "flat" "milvus" (eq .Values.storage "sqlite")) -}}
{{- end }}

{{/* Settings of the file: the caller's, with what the chart decides. */}}
{{- define "mneme.config" -}}
{{- $vector := include "mneme.vector" . -}}
{{- $own := dict "storage" .Values.storage "vector" $vector "log" (dict "format" "json") -}}
{{- if eq $vector "milvus" -}}
{{- $_ := set $own "milvus" (dict "addr" (required "milvus.addr: the host:port of Milvus" .Values.milvus.addr) "user" .Values.milvus.user) -}}
{{- end -}}
{{- if and .Values.ingress.enabled .Values.ingress.tlsSecret -}}
{{- $_ := set $own "public_url" (printf "https://%s" .Values.ingress.host) -}}
{{- end -}}
{{- toYaml (mergeOverwrite $own (deepCopy .Values.config)) -}}
{{- end }}

{{/* Of probes: their scheme, where config.tls has a certificate. */}}
{{- define "mneme.scheme" -}}
{{- if dig "tls" "cert" "" .Values.config }}, scheme: HTTPS{{ end -}}
{{- end }}

{{/* Mistakes that only show later, in a pod that refuses to start or a token. */}}
{{- define "mneme.check" -}}
{{- if eq .Values.storage "sqlite" -}}
{{- if .Values.postgres.existingSecret -}}
{{- fail "storage: postgres.existingSecret is set, but memories would go to SQLite; set storage to postgres" -}}
{{- end -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- fail "replicas: SQLite serves one pod; more need storage: postgres" -}}
{{- end -}}
{{- if not .Values.persistence.enabled -}}
{{- fail "persistence.enabled: without a volume the memories would be lost with the pod" -}}
{{- end -}}
{{- end -}}
{{- range tuple "storage" "vector" -}}
{{- if hasKey $.Values.config . -}}
{{- fail (printf "config.%s: set the chart's own value %s" . .) -}}
{{- end -}}
{{- end -}}
{{- if and (gt (int .Values.replicas) 1) (not (dig "auth" "issuers" list .Values.config)) -}}
{{- fail "replicas: more than one needs config.auth.issuers, since each pod would sign with a key of its own" -}}
{{- end -}}
{{- if and (gt (int .Values.replicas) 1) .Values.persistence.enabled (ne .Values.persistence.accessMode "ReadWriteMany") -}}
{{- fail (printf "persistence: a %s volume serves one node or pod; disable it (issuers need no folder) or use ReadWriteMany" .Values.persistence.accessMode) -}}
{{- end -}}
{{- end }}

{{/* Bytes of a quantity of memory, such as 850Mi. */}}
{{- define "mneme.bytes" -}}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "k" 1000 "M" 1000000 "G" 1000000000 "" 1 -}}
{{- $unit := regexFind "[A-Za-z]*$" (toString .) -}}
{{- if not (hasKey $units $unit) }}{{ fail (printf "resources.limits.memory: %s has no unit of Ki, Mi, Gi, k, M, G" .) }}{{ end -}}
{{- mulf (float64 (trimSuffix $unit (toString .))) (index $units $unit) | int64 -}}
{{- end }}
