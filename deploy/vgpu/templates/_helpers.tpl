{{- /* The release, as names of Services may begin: with a letter, without dots, and with room for what is added. */ -}}
{{- define "vgpu.release" -}}
{{- $name := .Release.Name | replace "." "-" -}}
{{ regexMatch "^[0-9]" $name | ternary (printf "vgpu-%s" $name) $name | trunc 45 | trimSuffix "-" }}
{{- end }}

{{- define "vgpu.agent" -}}
{{ include "vgpu.release" . }}-node-agent
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

{{- /* What the resources of a slice are called, as an object in JSON. */ -}}
{{- define "vgpu.resources" -}}
{{- $parts := dict "number" "vgpu-number" "memory" "vgpu-memory" "percentage" "vgpu-memory-percentage" "cores" "vgpu-cores" -}}
{{- if eq .Values.resourceNames "hami" -}}
{{- $parts = dict "number" "gpu" "memory" "gpumem" "percentage" "gpumem-percentage" "cores" "gpucores" -}}
{{- end -}}
{{- $names := dict -}}
{{- range $what, $part := $parts -}}
{{- $_ := set $names $what (printf "%s/%s" $.Values.domain $part) -}}
{{- end -}}
{{ $names | toJson }}
{{- end }}

{{- /* How names of resources begin that are those or hardly anybody's, as a list in CEL: as the extender's request/doubts.rs has it. */ -}}
{{- define "vgpu.beginnings" -}}
{{- $beginnings := list -}}
{{- range ternary (list "gpumem" "gpu-mem" "gpucore" "gpu-core" "priority") (list "vgpu") (eq .Values.resourceNames "hami") -}}
{{- $beginnings = append $beginnings (printf "%s/%s" $.Values.domain .) -}}
{{- end -}}
{{ $beginnings | toJson }}
{{- end }}

{{- /* Who may write claims, as a list in CEL. */ -}}
{{- define "vgpu.writers" -}}
{{- $own := list (include "vgpu.scheduler.user" .) -}}
{{- $others := .Values.claims.writers -}}
{{ ternary (concat $own $others) ($others | default $own) .Values.scheduler.enabled | toJson }}
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

{{- /* Whether the cluster has ValidatingAdmissionPolicies, and tokens that say on which node their pod runs. */ -}}
{{- define "vgpu.policies" -}}
{{- if semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version -}}
true
{{- end -}}
{{- end }}

{{- /* Those feature gates that a program knows, as Kubernetes writes them. */ -}}
{{- define "vgpu.gates" -}}
{{- $gates := list -}}
{{- range $name, $open := .gates -}}
{{- if has $name $.known -}}
{{- $gates = append $gates (printf "%s=%t" $name $open) -}}
{{- end -}}
{{- end -}}
{{ join "," $gates }}
{{- end }}

{{- define "vgpu.agent.gates" -}}
{{- $known := list "CorePlugin" "GPUTopology" "MemoryPlugin" "Reschedule" -}}
{{ include "vgpu.gates" (dict "gates" .Values.featureGates "known" $known) }}
{{- end }}

{{- define "vgpu.scheduler.gates" -}}
{{- $known := list "GPUTopology" "Reschedule" "SerialBindNode" -}}
{{ include "vgpu.gates" (dict "gates" .Values.featureGates "known" $known) }}
{{- end }}
