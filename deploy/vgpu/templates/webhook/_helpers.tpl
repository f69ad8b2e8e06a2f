{{- define "vgpu.webhook" -}}
{{ include "vgpu.scheduler" . }}-webhook
{{- end }}

{{- define "vgpu.webhook.enabled" -}}
{{- if and .Values.scheduler.enabled .Values.scheduler.webhook.enabled -}}
true
{{- end -}}
{{- end }}

{{- /* Whether the API server asks only about what concerns slices. */ -}}
{{- define "vgpu.webhook.selective" -}}
{{- if semverCompare ">=1.28.0-0" .Capabilities.KubeVersion.Version -}}
true
{{- end -}}
{{- end }}

{{- /* In CEL: a resource of this name is a slice's. */ -}}
{{- define "vgpu.webhook.known" -}}
name in {{ include "vgpu.resources" . | fromJson | values | sortAlpha | toJson }}
{{- end }}

{{- /* In CEL: a resource whose name begins so is a slice's, or hardly anything but that misspelt. */ -}}
{{- define "vgpu.webhook.similar" -}}
{{ include "vgpu.beginnings" . }}.exists(part, name.startsWith(part))
{{- end }}

{{- /* In CEL: the spec of a pod asks for resources whose names are so. One without containers has null for them, and is for validation
to refuse. */ -}}
{{- define "vgpu.webhook.asks" -}}
((has(spec.containers) && spec.containers != null ? spec.containers : []) +
(has(spec.initContainers) && spec.initContainers != null ? spec.initContainers : [])).exists(c, has(c.resources) && (
(has(c.resources.limits) && c.resources.limits.exists(name, {{ . }})) ||
(has(c.resources.requests) && c.resources.requests.exists(name, {{ . }}))))
{{- end }}

{{- /* In CEL: before or after the change there is a claim, and who makes it may not write one. */ -}}
{{- define "vgpu.webhook.claims" -}}
{{- $protected := include "vgpu.protected" . -}}
!(request.userInfo.username in {{ include "vgpu.writers" . }}) && [object, oldObject].exists(one,
one != null && has(one.metadata.annotations) && one.metadata.annotations.exists(key, key in {{ $protected }}))
{{- end }}

{{- define "vgpu.webhook.metadata" -}}
name: {{ include "vgpu.scheduler" . }}
labels:
  {{- include "vgpu.scheduler.labels" . | nindent 2 }}
{{- if .Values.scheduler.webhook.certManager.enabled }}
annotations:
  cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/{{ include "vgpu.webhook" . }}
{{- end }}
{{- end }}

{{- /* What all webhooks have in common: of (root, path, mayFail, condition). */ -}}
{{- define "vgpu.webhook.common" -}}
{{- $selective := include "vgpu.webhook.selective" .root -}}
admissionReviewVersions: [v1]
sideEffects: None
matchPolicy: Equivalent
# Its authority is written by whoever makes the certificate.
clientConfig:
  service:
    namespace: {{ .root.Release.Namespace }}
    name: {{ include "vgpu.webhook" .root }}
    path: {{ .path }}
    port: 443
failurePolicy: {{ ternary "Ignore" "Fail" (or .mayFail (not $selective)) }}
{{- if $selective }}
matchConditions:
  - name: is-about-slices
    expression: >-
      {{- .condition | nindent 6 }}
{{- else }}
# An API server below 1.28 asks about everything, which it must be able to do without.
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: [kube-system, {{ .root.Release.Namespace }}]
{{- end }}
{{- end }}
