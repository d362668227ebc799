{{/* Names, labels and images: what every object is called. */}}

{{- define "pay.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The release's name, with the chart's unless it already says so. */}}
{{- define "pay.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "pay.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "pay.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What never changes over a release's life, so that it can stand in selectors. Takes root and component. */}}
{{- define "pay.selector" -}}
app.kubernetes.io/name: {{ include "pay.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "pay.labels" -}}
{{ include "pay.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: {{ include "pay.name" .root }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "pay.registry" -}}
{{- dig "imageRegistry" "" (.Values.global | default dict) | default .Values.image.registry -}}
{{- end -}}

{{/* Takes root, service (its name) and settings. */}}
{{- define "pay.image" -}}
{{- $image := .root.Values.image -}}
{{- $registry := include "pay.registry" .root -}}
{{- $name := printf "%s/%s" $image.repository .service -}}
{{- if $registry }}{{ $name = printf "%s/%s" (trimSuffix "/" $registry) $name }}{{ end -}}
{{- if .settings.digest -}}
{{ printf "%s@%s" $name .settings.digest }}
{{- else -}}
{{ printf "%s:%s" $name (include "pay.text" ($image.tag | default .root.Chart.AppVersion)) }}
{{- end -}}
{{- end -}}

{{/* A value as it was written: large numbers would come out as 1e+07. */}}
{{- define "pay.text" -}}
{{- if kindIs "float64" . -}}
{{- eq (floor .) . | ternary (int64 .) . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{- define "pay.pullSecrets" -}}
{{- $names := concat .Values.image.pullSecrets (dig "imagePullSecrets" list (.Values.global | default dict)) -}}
{{- with $names }}
imagePullSecrets:
  {{- range . }}
  - name: {{ kindIs "map" . | ternary (get (kindIs "map" . | ternary . dict) "name") . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* One of its own for each service, so that others can tell them apart, unless one name is given. Takes root and service. */}}
{{- define "pay.serviceAccountName" -}}
{{- $account := .root.Values.serviceAccount -}}
{{- $account.name | default (ternary (printf "%s-%s" (include "pay.fullname" .root) .service) "default" $account.create) -}}
{{- end -}}

{{/* Takes root, component, settings and, where it is a service's own, service. */}}
{{- define "pay.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "pay.serviceAccountName" . }}
  labels: {{- include "pay.labels" . | nindent 4 }}
  {{- with mergeOverwrite (deepCopy .root.Values.serviceAccount.annotations) .settings.serviceAccountAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}

{{/* The hosts that reach the gateway, the public one first. Takes root and host. */}}
{{- define "pay.hosts" -}}
{{- $own := get (urlParse .root.Values.dashboard.url) "hostname" -}}
{{- $hosts := list .host -}}
{{- if and $own .root.Values.dashboard.enabled -}}
{{- $hosts = append $hosts $own -}}
{{- end -}}
{{- uniq $hosts | toJson -}}
{{- end -}}
