{{- define "vgpu.scheduler" -}}
{{ include "vgpu.release" . }}-scheduler
{{- end }}

{{- define "vgpu.scheduler.selector" -}}
app.kubernetes.io/name: vgpu
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: scheduler
{{- end }}

{{- define "vgpu.scheduler.labels" -}}
{{ include "vgpu.labels" . }}
app.kubernetes.io/component: scheduler
{{- end }}

{{- define "vgpu.scheduler.user" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "vgpu.scheduler" . }}
{{- end }}

{{- /* The cluster's own version, less what its vendor adds to it. */ -}}
{{- define "vgpu.scheduler.version" -}}
{{ .Values.scheduler.kubeScheduler.image.tag | default (regexFind "^v[0-9]+\\.[0-9]+\\.[0-9]+" .Capabilities.KubeVersion.Version) }}
{{- end }}

{{- /* The resources of a slice, as kube-scheduler is to treat them: it counts those that nodes have. */ -}}
{{- define "vgpu.scheduler.managed" -}}
{{- $names := include "vgpu.resources" . | fromJson -}}
{{- $gates := .Values.featureGates -}}
- name: {{ $names.number }}
  ignoredByScheduler: false
- name: {{ $names.memory }}
  ignoredByScheduler: {{ not $gates.MemoryPlugin }}
- name: {{ $names.percentage }}
  ignoredByScheduler: true
- name: {{ $names.cores }}
  ignoredByScheduler: {{ not $gates.CorePlugin }}
{{- end }}

{{- /* What a container of the scheduler may do: nothing that a user could not. */ -}}
{{- define "vgpu.scheduler.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
