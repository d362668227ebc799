{{/* What every pod of the chart has in common, Jobs and tests included: restricted security, no token, no writes. */}}

{{- define "pay.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- with .Values.podSecurity.runAsUser }}
  runAsUser: {{ include "pay.text" . }}
  runAsGroup: {{ include "pay.text" . }}
  fsGroup: {{ include "pay.text" . }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "pay.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The Secret of a service's certificate for calls between services; takes root and service. */}}
{{- define "pay.rpcSecret" -}}
{{- with .root.Values.rpc.tls -}}
{{ get .existingSecrets $.service | default .existingSecret }}
{{- end -}}
{{- end -}}

{{/* Certificates from Secrets; takes root, service, postgres, kafka and rpc (whether the pod talks to them). */}}
{{- define "pay.certificateMounts" -}}
{{- if and .postgres.host .postgres.existingCaSecret }}
- { name: postgres-ca, mountPath: /etc/pay/postgres, readOnly: true }
{{- end }}
{{- if and .kafka .root.Values.kafka.tls.enabled .root.Values.kafka.tls.existingSecret }}
- { name: kafka-tls, mountPath: /etc/pay/kafka, readOnly: true }
{{- end }}
{{- if and .rpc (include "pay.rpcSecret" .) }}
- { name: rpc-tls, mountPath: /etc/pay/rpc, readOnly: true }
{{- end }}
{{- end -}}

{{- define "pay.certificateVolumes" -}}
{{- if and .postgres.host .postgres.existingCaSecret }}
- name: postgres-ca
  secret: { secretName: {{ .postgres.existingCaSecret | quote }}, optional: true, defaultMode: 288 }
{{- end }}
{{- if and .kafka .root.Values.kafka.tls.enabled .root.Values.kafka.tls.existingSecret }}
- name: kafka-tls
  secret: { secretName: {{ .root.Values.kafka.tls.existingSecret | quote }}, optional: true, defaultMode: 288 }
{{- end }}
{{- if and .rpc (include "pay.rpcSecret" .) }}
- name: rpc-tls
  secret: { secretName: {{ include "pay.rpcSecret" . | quote }}, optional: true, defaultMode: 288 }
{{- end }}
{{- end -}}

{{/* Takes settings. */}}
{{- define "pay.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end -}}
