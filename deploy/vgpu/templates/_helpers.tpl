{{- define "vgpu.agent" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}-node-agent
{{- end }}

{{- define "vgpu.labels" -}}
app.kubernetes.io/name: vgpu
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "vgpu.agent.selector" -}}
app.kubernetes.io/name: vgpu
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: node-agent
{{- end }}

{{- define "vgpu.agent.user" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "vgpu.agent" . }}
{{- end }}

{{- /* Who may write claims, as a list in CEL. */ -}}
{{- define "vgpu.writers" -}}
{{- $own := printf "system:serviceaccount:%s:%s-scheduler" .Release.Namespace .Release.Name -}}
{{ .Values.claims.writers | default (list $own) | toJson }}
{{- end }}

{{- /* The annotations that are claims, as a list in CEL. */ -}}
{{- define "vgpu.protected" -}}
{{- $own := list "vgpu-claim" -}}
{{- $theirs := list "pre-allocated" "predicate-node" -}}
{{- $keys := list -}}
{{- range ternary $theirs $own (eq .Values.claims.form "vgpu-manager") -}}
{{- $keys = append $keys (printf "%s/%s" $.Values.domain .) -}}
{{- end -}}
{{ $keys | toJson }}
{{- end }}

{{- /* Feature gates as Kubernetes writes them. */ -}}
{{- define "vgpu.gates" -}}
{{- $gates := list -}}
{{- range $name, $open := .Values.featureGates -}}
{{- $gates = append $gates (printf "%s=%t" $name $open) -}}
{{- end -}}
{{ join "," $gates }}
{{- end }}
