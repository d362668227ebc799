{{/* What only the operator can know; everything that is missing is said at once, with what to do. */}}
{{- define "pay.checks" -}}
{{- $missing := list -}}
{{- if not .Values.publicUrl -}}
{{- $missing = append $missing "publicUrl: give the https address merchants call, e.g. https://pay.example.com" -}}
{{- end -}}
{{- if not (or .Values.image.local (include "pay.registry" .) (regexMatch "^[^/]*[.:][^/]*/" .Values.image.repository)) -}}
{{- $missing = append $missing "image.registry: say where the images of the services are, e.g. registry.example.com (or image.local true, where they are on the nodes already); without one the cluster would ask a public registry for them" -}}
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
{{- with include "pay.settings" (dict "root" $ "service" $service) | fromYaml -}}
{{- $scaling := .autoscaling -}}
{{- if and (eq $scaling.mode "keda") (not $scaling.prometheusUrl) -}}
{{- $missing = append $missing "defaults.autoscaling.prometheusUrl: give the address of the Prometheus that KEDA asks" -}}
{{- end -}}
{{- if and (ne $scaling.mode "none") (lt (int $scaling.maxReplicas) (int $scaling.minReplicas)) -}}
{{- $missing = append $missing (printf "services.%s.autoscaling.maxReplicas: at least minReplicas (%v)" $service $scaling.minReplicas) -}}
{{- end -}}
{{- if and (ne $scaling.mode "none") (has $service (include "pay.sharers" $ | fromYamlArray)) (gt (int $scaling.maxReplicas) (int $.Values.kafka.topics.partitions)) -}}
{{- $missing = append $missing (printf "services.%s.autoscaling.maxReplicas: at most kafka.topics.partitions (%v), as further replicas get no work" $service $.Values.kafka.topics.partitions) -}}
{{- end -}}
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
{{- with .Values.rpc.tls -}}
{{- $tls := . -}}
{{- range $service, $wiring := include "pay.wiring" $ | fromYaml -}}
{{- if and $tls.existingSecrets (not (get $tls.existingSecrets $service | default $tls.existingSecret)) -}}
{{- $missing = append $missing (printf "rpc.tls.existingSecret (or rpc.tls.existingSecrets.%s): name a Secret with tls.crt, tls.key and ca.crt, as each service needs a certificate or none does" $service) -}}
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
{{- if and .Values.ingress.enabled (eq .Values.ingress.tls.mode "secret") (not .Values.ingress.tls.existingSecret) -}}
{{- $missing = append $missing "ingress.tls.existingSecret: name a Secret of type kubernetes.io/tls (or set ingress.tls.mode to none, where the load balancer has the certificate)" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- $missing = append $missing "httpRoute.parentRefs: name the Gateway, e.g. [{name: public, namespace: gateways}]" -}}
{{- end -}}
{{- range $old, $new := .Files.Get "moved.yaml" | fromYaml -}}
{{- $place := $.Values -}}
{{- range splitList "." $old -}}
{{- $place = ternary (get (kindIs "map" $place | ternary $place dict) .) nil (kindIs "map" $place) -}}
{{- end -}}
{{- if not (kindIs "invalid" $place) -}}
{{- if ne (toString $place) "" -}}
{{- $missing = append $missing (printf "%s: it has moved to %s, see UPGRADING.md" $old $new) -}}
{{- end -}}
{{- end -}}
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
