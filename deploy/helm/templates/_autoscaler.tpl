{{/*
Scales a service by CPU and, with KEDA, by what waits for it as Prometheus has it: records of its topics, or for webhooks the
age of the oldest due delivery. Takes root, service, component and settings.
*/}}
{{- define "pay.autoscaler" -}}
{{- $name := printf "%s-%s" (include "pay.fullname" .root) .service -}}
{{- $own := .settings.autoscaling -}}
{{- if eq $own.mode "hpa" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels: {{- include "pay.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ $own.minReplicas }}
  maxReplicas: {{ $own.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $own.cpuPercent }} }
  behavior: {{- include "pay.scaleDown" $own | nindent 4 }}
{{- else -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  labels: {{- include "pay.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { name: {{ $name }} }
  minReplicaCount: {{ $own.minReplicas }}
  maxReplicaCount: {{ $own.maxReplicas }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {{- include "pay.scaleDown" $own | nindent 8 }}
  triggers:
    - type: cpu
      metricType: Utilization
      metadata: { value: {{ $own.cpuPercent | quote }} }
    {{- $release := printf "namespace=%q" .root.Release.Namespace }}
    {{- if eq .service "webhooks" }}
    - type: prometheus
      metricType: Value
      metadata:
        serverAddress: {{ $own.prometheusUrl | quote }}
        query: {{ printf "max(webhook_queue_oldest_age_seconds{%s})" $release | quote }}
        threshold: {{ $own.queueAgeSeconds | quote }}
    {{- end }}
    {{- if has .service (include "pay.sharers" . | fromYamlArray) }}
    - type: prometheus
      metadata:
        serverAddress: {{ $own.prometheusUrl | quote }}
        query: {{ printf "sum(max by (topic, partition) (kafka_consumer_lag{%s, group=%q}))" $release .service | quote }}
        threshold: {{ $own.lagPerReplica | quote }}
    {{- end }}
{{- end -}}
{{- end -}}

{{/* Fewer pods only after five quiet minutes: each change makes the consumers share their partitions anew. */}}
{{- define "pay.scaleDown" -}}
scaleDown: { stabilizationWindowSeconds: 300 }
{{- end -}}

{{/* Services whose replicas share the partitions of topics, so that more of them than partitions have nothing to do. */}}
{{- define "pay.sharers" -}}
[payments, refunds, chains, webhooks]
{{- end -}}
