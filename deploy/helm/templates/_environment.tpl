{{/*
The environment of a process. What is public lies in a ConfigMap, what is secret is taken from Secrets by reference.
References are optional on purpose: a container whose Secret is missing starts, says which setting it lacks and, by
<NAME>_FROM, where that should come from; it heals by itself once the Secret is there.
*/}}

{{/* Public settings of a service as a map; takes root, service, wiring, settings. */}}
{{- define "pay.publicSettings" -}}
{{- $root := .root -}}
{{- $wiring := .wiring -}}
{{- $settings := .settings -}}
LOG_LEVEL: {{ $settings.logLevel | quote }}
ADMIN_PORT: "9090"
DRAIN_DELAY_MS: {{ mul $settings.drainSeconds 1000 | toString | quote }}
STOP_TIMEOUT_MS: {{ mul $settings.stopSeconds 1000 | toString | quote }}
{{ $wiring.portVariable }}: {{ $wiring.port | toString | quote }}
{{ $wiring.prefix }}_DATABASE_POOL_MAX: {{ .postgres.poolMax | toString | quote }}
{{- range $wiring.calls }}
{{ upper . }}_ADDRESS: {{ printf "dns:///%s-%s:%v" (include "pay.fullname" $root) . 50051 | quote }}
{{- end }}
{{- if include "pay.rpcSecret" . }}
RPC_TLS_DIR: /etc/pay/rpc
{{- end }}
KAFKA_BROKERS: {{ join "," $root.Values.kafka.brokers | quote }}
{{- with $root.Values.kafka.topics }}
KAFKA_TOPICS: {{ dict "prefix" $root.Values.kafka.topicPrefix "create" .create "partitions" (int .partitions) "replication" (int .replication) "state" .state | toJson | quote }}
{{- end }}
{{- with $root.Values.kafka.tls }}
{{- if .enabled }}
{{- $files := dict }}
{{- if and .existingSecret .caKey }}
{{- $_ := set $files "caFile" (printf "/etc/pay/kafka/%s" .caKey) }}
{{- end }}
{{- if .certKey }}
{{- $_ := set $files "certFile" (printf "/etc/pay/kafka/%s" .certKey) }}
{{- $_ := set $files "keyFile" (printf "/etc/pay/kafka/%s" .keyKey) }}
{{- end }}
KAFKA_SSL: {{ toJson $files | quote }}
{{- end }}
{{- end }}
{{- if $root.Values.kafka.insecure }}
KAFKA_INSECURE: "1"
{{- end }}
{{- with $root.Values.kafka.sasl.mechanism }}
KAFKA_SASL_MECHANISM: {{ . | quote }}
{{- end }}
{{- if eq .service "chains" }}
{{- with $root.Values.chains }}
CHAINS_TOKENS: {{ toJson .tokens | quote }}
CHAINS_FINALITY: {{ toJson .finality | quote }}
{{- with .signers.wallets }}
CHAINS_SIGNERS: {{ toJson . | quote }}
{{- end }}
{{- with .walletCodes }}
CHAINS_WALLET_CODES: {{ join "," . | quote }}
{{- end }}
CHAINS_ALLOW_HTTP_PROVIDERS: {{ ternary "1" "0" .allowHttpProviders | quote }}
{{- with .local }}
{{- if .rpcUrl }}
CHAINS_LOCAL: {{ dict "rpcUrl" .rpcUrl "chainId" (.chainId | int64) "tokens" .tokens | toJson | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if eq .service "refunds" }}
{{- with $root.Values.chains.signers.wallets }}
{{- $wallets := list }}
{{- range . }}
{{- $wallets = append $wallets (pick . "projectId" "mode" "chainId" "address") }}
{{- end }}
REFUNDS_SIGNED_WALLETS: {{ toJson $wallets | quote }}
{{- end }}
{{- end }}
{{- if eq .service "refunds" }}
{{- with $root.Values.refunds.sharedAddresses }}
REFUNDS_SHARED_ADDRESSES: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{- if eq .service "gateway" }}
TRUST_PROXY: {{ $root.Values.trustedProxies | toString | quote }}
DASHBOARD: {{ ternary ($root.Values.dashboard.url | default "on") "off" $root.Values.dashboard.enabled | quote }}
{{- end }}
{{- if has .service (list "gateway" "chains" "webhooks") }}
PUBLIC_URL: {{ $root.Values.publicUrl | quote }}
WEBHOOKS_ALLOW_HOSTS: {{ join "," $root.Values.webhooks.allowHosts | quote }}
WEBHOOKS_ALLOW_HTTP: {{ ternary "1" "0" $root.Values.webhooks.allowHttp | quote }}
{{- with $root.Values.webhooks.proxy.url }}
WEBHOOKS_PROXY_URL: {{ . | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := $settings.env }}
{{ $name }}: {{ include "pay.text" $value | quote }}
{{- end }}
{{- end -}}

{{/* One variable from a Secret, and where a person finds it. Takes name, secret, key. */}}
{{- define "pay.fromSecret" }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .secret | quote }}, key: {{ .key | quote }}, optional: true }
- name: {{ .name }}_FROM
  value: {{ printf "key %s of Secret %s" .key .secret | quote }}
{{- end -}}

{{/* The database's variables; takes root, wiring, postgres. */}}
{{- define "pay.databaseEnv" -}}
{{- $pg := .postgres -}}
{{- $variable := printf "%s_DATABASE_URL" .wiring.prefix -}}
{{- if $pg.host }}
{{- $query := printf "sslmode=%s" $pg.sslMode -}}
{{- if $pg.pooler }}{{ $query = printf "%s&pooler=%s" $query $pg.pooler }}{{ end }}
{{- if $pg.existingCaSecret }}{{ $query = printf "%s&sslrootcert=/etc/pay/postgres/%s" $query $pg.caKey }}{{ end }}
{{- $user := ternary (printf "%s@" (urlquery $pg.user)) "" (ne $pg.user "") }}
- name: {{ $variable }}
  value: {{ printf "postgres://%s%s:%v/%s?%s" $user $pg.host $pg.port $pg.database $query | quote }}
- name: {{ $variable }}_FROM
  value: {{ printf "key %s of Secret %s" $pg.secretKeys.password $pg.existingSecret | quote }}
{{- if not $pg.user }}
{{- include "pay.fromSecret" (dict "name" "PGUSER" "secret" $pg.existingSecret "key" $pg.secretKeys.user) }}
{{- end }}
{{- include "pay.fromSecret" (dict "name" "PGPASSWORD" "secret" $pg.existingSecret "key" $pg.secretKeys.password) }}
{{- else }}
{{- include "pay.fromSecret" (dict "name" $variable "secret" $pg.existingSecret "key" $pg.secretKeys.url) }}
{{- end }}
{{- end -}}

{{/* The database as migrations reach it; takes root, wiring, postgres. */}}
{{- define "pay.migrateEnv" -}}
{{- $migrate := .postgres.migrate -}}
{{- if $migrate.existingSecret -}}
{{- include "pay.fromSecret" (dict "name" (printf "%s_DATABASE_URL" .wiring.prefix) "secret" $migrate.existingSecret "key" $migrate.key) }}
{{- else -}}
{{- include "pay.databaseEnv" . }}
{{- end -}}
{{- end -}}

{{/* All that is secret for one service; takes root, service, wiring, postgres, settings. */}}
{{- define "pay.secretEnv" -}}
{{- $root := .root -}}
{{- include "pay.databaseEnv" . }}
{{- range $name, $entry := .wiring.keys }}
{{- $one := get $root.Values.keys $entry }}
{{- $secret := $one.existingSecret | default $root.Values.keys.existingSecret }}
{{- include "pay.fromSecret" (dict "name" $name "secret" $secret "key" $one.key) }}
{{- end }}
{{- $service := .service }}
{{- with $root.Values.kafka.sasl }}
{{- if .mechanism }}
{{- $login := get .existingSecrets $service | default .existingSecret }}
{{- include "pay.fromSecret" (dict "name" "KAFKA_SASL_USERNAME" "secret" $login "key" .usernameKey) }}
{{- include "pay.fromSecret" (dict "name" "KAFKA_SASL_PASSWORD" "secret" $login "key" .passwordKey) }}
{{- end }}
{{- end }}
{{- if has .service (list "gateway" "chains" "webhooks") }}
{{- with $root.Values.webhooks.proxy }}
{{- if .existingSecret }}
{{- include "pay.fromSecret" (dict "name" "WEBHOOKS_PROXY_URL" "secret" .existingSecret "key" .key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq .service "gateway") $root.Values.redis.existingSecret }}
{{- include "pay.fromSecret" (dict "name" "REDIS_URL" "secret" $root.Values.redis.existingSecret "key" $root.Values.redis.key) }}
{{- end }}
{{- if and (eq .service "gateway") $root.Values.dashboard.oidc.existingSecret }}
{{- include "pay.fromSecret" (dict "name" "OIDC" "secret" $root.Values.dashboard.oidc.existingSecret "key" $root.Values.dashboard.oidc.key) }}
{{- end }}
{{- if and (eq .service "gateway") $root.Values.dashboard.smtp.existingSecret }}
{{- include "pay.fromSecret" (dict "name" "SMTP_URL" "secret" $root.Values.dashboard.smtp.existingSecret "key" $root.Values.dashboard.smtp.key) }}
{{- end }}
{{- if and (eq .service "chains") $root.Values.chains.existingSecret }}
{{- include "pay.fromSecret" (dict "name" "CHAINS_PROVIDERS" "secret" $root.Values.chains.existingSecret "key" $root.Values.chains.key) }}
{{- end }}
{{- with .settings.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
