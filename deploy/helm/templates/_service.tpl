{{/* One service: ConfigMap, Deployment, Service, ServiceAccount, an autoscaler and, with more than one replica, PodDisruptionBudget. */}}
{{- define "pay.service" -}}
{{- $root := .root -}}
{{- $service := .service -}}
{{- $wiring := .wiring -}}
{{- $settings := include "pay.settings" (dict "root" $root "service" $service) | fromYaml -}}
{{- $postgres := include "pay.postgres" (dict "root" $root "service" $service) | fromYaml -}}
{{- $name := printf "%s-%s" (include "pay.fullname" $root) $service -}}
{{- $parts := dict "root" $root "service" $service "component" $service "wiring" $wiring "settings" $settings "postgres" $postgres "kafka" true "rpc" true -}}
{{- $isGateway := eq $service "gateway" -}}
{{- $isSecure := ne (include "pay.rpcSecret" $parts) "" -}}
{{- $signers := ternary $root.Values.chains.signers.existingSecret "" (eq $service "chains") -}}
{{- $public := include "pay.publicSettings" $parts -}}
{{- $scales := ne $settings.autoscaling.mode "none" -}}
{{- $least := ternary $settings.autoscaling.minReplicas $settings.replicas $scales | int -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  labels: {{- include "pay.labels" $parts | nindent 4 }}
data: {{- $public | nindent 2 }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels: {{- include "pay.labels" $parts | nindent 4 }}
spec:
  {{- if not $scales }}
  replicas: {{ $settings.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  minReadySeconds: {{ $settings.minReadySeconds }}
  progressDeadlineSeconds: {{ add $settings.startupSeconds $settings.minReadySeconds 300 }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels: {{- include "pay.selector" $parts | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "pay.selector" $parts | nindent 8 }}
        app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
        {{- with $settings.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ $public | sha256sum }}
        {{- with $root.Values.credentialsRevision }}
        pay/credentials-revision: {{ include "pay.text" . | quote }}
        {{- end }}
        {{- with $settings.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "pay.podSecurity" $root | nindent 6 }}
      {{- if $root.Values.podSecurity.shareProcessNamespace }}
      shareProcessNamespace: true
      {{- end }}
      serviceAccountName: {{ include "pay.serviceAccountName" $parts }}
      {{- with include "pay.pullSecrets" $root | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      terminationGracePeriodSeconds: {{ add $settings.preStopSleepSeconds $settings.drainSeconds $settings.stopSeconds 5 }}
      {{- with include "pay.placement" $settings | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- if gt $least 1 }}
      topologySpreadConstraints:
        {{- range $settings.topologySpread.topologyKeys }}
        - maxSkew: {{ $settings.topologySpread.maxSkew }}
          topologyKey: {{ . | quote }}
          whenUnsatisfiable: {{ $settings.topologySpread.whenUnsatisfiable }}
          labelSelector:
            matchLabels: {{- include "pay.selector" $parts | nindent 14 }}
          # Pods of the release before do not count, or a rollout would leave the new ones on few nodes.
          matchLabelKeys: [pod-template-hash]
        {{- end }}
      {{- end }}
      {{- with $settings.initContainers }}
      initContainers: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ $service }}
          image: {{ include "pay.image" $parts | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          {{- include "pay.containerSecurity" $root | nindent 10 }}
          envFrom:
            - configMapRef: { name: {{ $name }} }
          env: {{- include "pay.secretEnv" $parts | trim | nindent 12 }}
          ports:
            - { name: {{ ternary "http" "grpc" $isGateway }}, containerPort: {{ $wiring.port }} }
            - { name: metrics, containerPort: 9090 }
          {{- include "pay.probes" (dict "isPlain" (not (or $isGateway $isSecure)) "port" $wiring.port "settings" $settings) | nindent 10 }}
          {{- if $settings.preStopSleepSeconds }}
          lifecycle:
            preStop:
              sleep: { seconds: {{ $settings.preStopSleepSeconds }} }
          {{- end }}
          resources: {{- toYaml $settings.resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- with include "pay.certificateMounts" $parts | trim }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- if $signers }}
            - { name: signers, mountPath: /run/signers, readOnly: true }
            {{- end }}
            {{- with $settings.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $settings.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        {{- if $signers }}
        - name: signers
          secret: { secretName: {{ $signers | quote }}, optional: true, defaultMode: 288 }
        {{- end }}
        - name: tmp
          emptyDir: { sizeLimit: 64Mi }
        {{- with include "pay.certificateVolumes" $parts | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with $settings.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels: {{- include "pay.labels" $parts | nindent 4 }}
  {{- with dig "service" "annotations" dict $settings }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  selector: {{- include "pay.selector" $parts | nindent 4 }}
  {{- if $isGateway }}
  type: {{ $settings.service.type }}
  ports:
    - name: http
      port: {{ $settings.service.port }}
      targetPort: http
      {{- if and (ne $settings.service.type "ClusterIP") $settings.service.nodePort }}
      nodePort: {{ $settings.service.nodePort }}
      {{- end }}
  {{- else }}
  # Headless: callers see every pod and share their calls among them; behind one address a connection would stick.
  clusterIP: None
  ports:
    - name: grpc
      port: {{ $wiring.port }}
      targetPort: grpc
      appProtocol: {{ ternary "https" "kubernetes.io/h2c" $isSecure }}
  {{- end }}
{{- if and $root.Values.serviceAccount.create (not $root.Values.serviceAccount.name) }}
---
{{ include "pay.serviceAccount" $parts }}
{{- end }}
{{- if $scales }}
---
{{ include "pay.autoscaler" $parts }}
{{- end }}
{{- if gt $least 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels: {{- include "pay.labels" $parts | nindent 4 }}
spec:
  {{- toYaml $settings.disruptionBudget | nindent 2 }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "pay.selector" $parts | nindent 6 }}
{{- end }}
{{- end -}}

{{/*
Started: the database has my schema and the port answers. Ready: the same, and not stopping. Alive: the process
answers at all; a database that is away must not get healthy processes killed. A node has no certificate, so where calls
need one it asks the admin port.
*/}}
{{- define "pay.probes" -}}
{{- $periods := max 1 (div .settings.startupSeconds 2) -}}
{{- if not .isPlain -}}
startupProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: {{ $periods }}
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 3
livenessProbe:
  httpGet: { path: /livez, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- else -}}
startupProbe:
  grpc: { port: {{ .port }}, service: readiness }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: {{ $periods }}
readinessProbe:
  grpc: { port: {{ .port }}, service: readiness }
  periodSeconds: 5
  timeoutSeconds: 3
livenessProbe:
  grpc: { port: {{ .port }}, service: liveness }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}
{{- end -}}
