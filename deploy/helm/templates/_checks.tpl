{{/* What only the operator can know; everything that is missing is said at once, with what to do. */}}
{{- define "pay.checks" -}}
{{- $missing := list -}}
{{- if not .Values.publicUrl -}}
{{- $missing = append $missing "publicUrl: give the https address merchants call, e.g. https://pay.example.com" -}}
{{- end -}}
{{- $gateway := include "pay.settings" (dict "root" . "service" "gateway") | fromYaml -}}
{{- if and (eq (int .Values.trustedProxies) 0) (ne (toString (get $gateway.env "REQUIRE_HTTPS")) "0") -}}
{{- $missing = append $missing "trustedProxies: at least 1, as only a proxy can say that a request came by https (or services.gateway.env.REQUIRE_HTTPS \"0\", to take plain http)" -}}
{{- end -}}
{{- if not .Values.kafka.brokers -}}
{{- $missing = append $missing "kafka.brokers: list at least one broker as host:port" -}}
{{- end -}}
{{- range $service, $wiring := include "pay.wiring" . | fromYaml -}}
{{- $pg := include "pay.postgres" (dict "root" $ "service" $service) | fromYaml -}}
{{- if not $pg.existingSecret -}}
{{- $what := ternary (printf "the password under key %q" $pg.secretKeys.password) (printf "the database's address under key %q" $pg.secretKeys.url) (ne $pg.host "") -}}
{{- $missing = append $missing (printf "postgres.%s.existingSecret: name a Secret with %s" $service $what) -}}
{{- end -}}
{{- if and $pg.pooler (not $pg.migrate.existingSecret) (ne $.Values.migrations.mode "none") -}}
{{- $missing = append $missing (printf "postgres.%s.migrate.existingSecret: name a Secret with the database's direct address under key %q, as migrations cannot go through a pooler" $service $pg.migrate.key) -}}
{{- end -}}
{{- range $name, $entry := $wiring.keys -}}
{{- $one := get $.Values.keys $entry -}}
{{- if not (or $one.existingSecret $.Values.keys.existingSecret) -}}
{{- $missing = append $missing (printf "keys.existingSecret (or keys.%s.existingSecret): name a Secret with key %q" $entry $one.key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (or .Values.chains.existingSecret .Values.chains.local.rpcUrl) -}}
{{- $missing = append $missing (printf "chains.existingSecret: name a Secret with the providers of each chain under key %q" .Values.chains.key) -}}
{{- end -}}
{{- with .Values.kafka.sasl -}}
{{- $sasl := . -}}
{{- range $service, $wiring := include "pay.wiring" $ | fromYaml -}}
{{- if and $sasl.mechanism (not (get $sasl.existingSecrets $service | default $sasl.existingSecret)) -}}
{{- $missing = append $missing (printf "kafka.sasl.existingSecret (or kafka.sasl.existingSecrets.%s): name a Secret with keys %q and %q" $service $sasl.usernameKey $sasl.passwordKey) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not .Values.kafka.insecure -}}
{{- if not .Values.kafka.tls.enabled -}}
{{- $missing = append $missing "kafka.tls.enabled: set it to true, or kafka.insecure to true where nothing else can reach the broker" -}}
{{- end -}}
{{- if not (or .Values.kafka.sasl.mechanism .Values.kafka.tls.certKey) -}}
{{- $missing = append $missing "kafka.sasl.mechanism (or kafka.tls.certKey): say how we log in, or set kafka.insecure to true where nothing else can reach the broker" -}}
{{- end -}}
{{- end -}}
{{- with .Values.kafka.tls -}}
{{- if and (or .certKey .keyKey) (not (and .certKey .keyKey .existingSecret)) -}}
{{- $missing = append $missing "kafka.tls: a certificate of ours needs existingSecret, certKey and keyKey together" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.tls.existingSecret) -}}
{{- $missing = append $missing "ingress.tls.existingSecret: name a Secret of type kubernetes.io/tls" -}}
{{- end -}}
{{- if and .Values.webhooks.proxy.url .Values.webhooks.proxy.existingSecret -}}
{{- $missing = append $missing "webhooks.proxy: give url, or existingSecret for a proxy that asks for a login, not both" -}}
{{- end -}}
{{- if and .Values.alerts.enabled (not .Values.alerts.runbookUrl) -}}
{{- $missing = append $missing "alerts.runbookUrl: say where docs/runbooks is served, as each alert names its page there" -}}
{{- end -}}
{{- if $missing -}}
{{- fail (printf "\n\nThese values are needed:\n  - %s\n\ndocs/operations.md shows a complete install.\n" (join "\n  - " (uniq $missing))) -}}
{{- end -}}
{{- end -}}
