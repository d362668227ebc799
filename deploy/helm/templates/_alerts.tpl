{{/*
Whether a counter has risen, also by its first event: a counter with labels has no series before that, so nothing
increases when it appears. Takes counters, by (labels), window and release; of several counters any may have risen.
*/}}
{{- define "pay.rises" -}}
{{- $sum := "sum" -}}
{{- with .by }}{{ $sum = printf "sum by (%s) " . }}{{ end -}}
{{- $alternatives := list -}}
{{- range $name := .counters -}}
{{- $series := printf "%s{%s}" $name $.release -}}
{{- $alternatives = append $alternatives (printf "%s(increase(%s[%s])) > 0" $sum $series $.window) -}}
{{- $alternatives = append $alternatives (printf "%s(%s unless %s offset %s) > 0" $sum $series $series $.window) -}}
{{- end -}}
{{- join "\nor " $alternatives -}}
{{- end -}}

{{/*
Shares of bad requests and deliveries. Each entry has the name of its recording rules, the share that its objective allows,
what is bad and what is counted. The page and the alert of an entry bear the same name.
*/}}
{{- define "pay.objectives" -}}
{{- $release := printf "namespace=%q" .Release.Namespace -}}
{{- $requests := "http_server_request_duration_seconds" -}}
{{- $create := printf "%s, method=\"POST\", route=\"/v1/payments\", status_code!~\"5..\"" $release -}}
{{- $read := printf "%s, method=\"GET\", route=~\"/v1/(payments|customers|refunds)(/[^/]+)?\", status_code!~\"5..\"" $release -}}
{{- $confirmed := printf "%s, event=\"payment.confirmed\"" $release -}}
- alert: PayApiErrors
  record: pay:api_errors
  allowed: 0.001
  bad: {{ printf "%s_count{%s, status_code=~\"5..\"}" $requests $release | quote }}
  all: {{ printf "%s_count{%s}" $requests $release | quote }}
  summary: The API answers too many requests with errors of its own
- alert: PayCreateSlow
  record: pay:create_slow
  allowed: 0.01
  good: {{ printf "%s_bucket{%s, le=\"1\"}" $requests $create | quote }}
  all: {{ printf "%s_count{%s}" $requests $create | quote }}
  summary: Too many payments take longer than a second to create
- alert: PayReadSlow
  record: pay:read_slow
  allowed: 0.01
  good: {{ printf "%s_bucket{%s, le=\"0.5\"}" $requests $read | quote }}
  all: {{ printf "%s_count{%s}" $requests $read | quote }}
  summary: Too many reads take longer than half a second
- alert: PayWebhooksLate
  record: pay:webhooks_late
  allowed: 0.01
  good: {{ printf "webhook_event_delivery_seconds_bucket{%s, le=\"30\"}" $confirmed | quote }}
  all: {{ printf "webhook_event_delivery_seconds_count{%s}" $confirmed | quote }}
  summary: Too many merchants learn of a confirmed payment later than after 30 seconds
{{- end -}}

{{/* Takes an entry of pay.objectives and a window. Without anything bad there is no series of it, hence the zero. */}}
{{- define "pay.badShare" -}}
{{- $all := printf "sum by (namespace) (rate(%s[%s]))" .all .window -}}
{{- if .good -}}
1 - sum by (namespace) (rate({{ .good }}[{{ .window }}])) / {{ $all }}
{{- else -}}
(sum by (namespace) (rate({{ .bad }}[{{ .window }}])) or 0 * {{ $all }}) / {{ $all }}
{{- end -}}
{{- end -}}

{{/*
The share is above a multiple of what is allowed, over a long window and still over a short one. Takes record, allowed,
release and burns, each with times, long and short.
*/}}
{{- define "pay.burns" -}}
{{- $record := .record -}}
{{- $allowed := .allowed -}}
{{- $release := .release -}}
{{- $alternatives := list -}}
{{- range .burns -}}
{{- $one := printf "%s:ratio_rate%%s{%s} > %v * %v" $record $release .times $allowed -}}
{{- $alternatives = append $alternatives (printf "(%s and %s)" (printf $one .long) (printf $one .short)) -}}
{{- end -}}
{{- join "\nor " $alternatives -}}
{{- end -}}

{{- define "pay.objectiveRules" -}}
{{- $release := printf "namespace=%q" .Release.Namespace -}}
{{- $fast := list (dict "times" 14.4 "long" "1h" "short" "5m") (dict "times" 6 "long" "6h" "short" "30m") -}}
{{- $slow := list (dict "times" 3 "long" "1d" "short" "2h") (dict "times" 1 "long" "3d" "short" "6h") -}}
{{- range include "pay.objectives" . | fromYamlArray }}
{{- $objective := set . "release" $release }}
- alert: {{ .alert }}
  expr: |-
    {{- include "pay.burns" (set $objective "burns" $fast) | nindent 4 }}
  labels: { severity: critical }
  annotations: { summary: {{ .summary | quote }} }
- alert: {{ .alert }}
  expr: |-
    {{- include "pay.burns" (set $objective "burns" $slow) | nindent 4 }}
  for: 15m
  labels: { severity: warning }
  annotations: { summary: {{ .summary | quote }} }
{{- end }}
{{- end -}}

{{- define "pay.alertRules" -}}
{{- $release := printf "namespace=%q" .Release.Namespace }}
{{- $storage := prepend .Values.alerts.storageNamespaces .Release.Namespace | join "|" }}
{{- $quarter := dict "release" $release "window" "15m" "by" "" }}
{{- $quarterByChain := dict "release" $release "window" "15m" "by" "chain" }}
- alert: PayServiceMissing
  expr: |-
    {{- $absent := list }}
    {{- range $service, $wiring := include "pay.wiring" . | fromYaml }}
    {{- $absent = append $absent (printf "absent(build_info{%s, service=%q})" $release $service) }}
    {{- end }}
    {{- join "\nor " $absent | nindent 4 }}
  for: 2m
  labels: { severity: critical }
  annotations:
    summary: {{ "Prometheus reaches no pod of {{ $labels.service }}" | quote }}
- alert: PayRestarts
  expr: |-
    sum by (service) (
      changes(process_start_time_seconds{ {{- $release -}} }[30m])
      * on (namespace, pod) group_left (service) max by (namespace, pod, service) (build_info{ {{- $release -}} })
    ) > 2
  labels: { severity: warning }
  annotations:
    summary: {{ "Several restarts of {{ $labels.service }} within half an hour" | quote }}
- alert: PayPoolExhausted
  expr: min_over_time(sum by (database) (db_pool_connections{ {{- $release }}, state="waiting"})[2m:]) > 0
  labels: { severity: warning }
  annotations:
    summary: {{ "Calls wait for a connection to the database {{ $labels.database }}" | quote }}
- alert: PayWebhooksFail
  expr: |-
    sum(rate(webhook_attempt_total{ {{- $release }}, result!="ok"}[15m]))
      / sum(rate(webhook_attempt_total{ {{- $release -}} }[15m])) > 0.5
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: More than half of all attempts to deliver webhooks fail
- alert: PayWebhooksWait
  expr: max(webhook_queue_oldest_age_seconds{ {{- $release -}} }) > 300
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: A webhook that is due has waited for over five minutes
- alert: PayJobFailed
  expr: |-
    kube_job_failed{ {{- $release }}, job_name=~"{{ include "pay.fullname" . }}-.+-migrate-.+", condition="true"} > 0
    or increase(kube_pod_container_status_restarts_total{ {{- $release }}, container="migrate"}[15m]) > 0
  labels: { severity: critical }
  annotations:
    summary: {{ "A migration fails: {{ $labels.job_name }}{{ $labels.pod }}" | quote }}
- alert: PayDiskFull
  expr: |-
    kubelet_volume_stats_available_bytes{namespace=~"{{ $storage }}"}
      / kubelet_volume_stats_capacity_bytes{namespace=~"{{ $storage }}"} < 0.1
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: {{ "Less than a tenth is free on the volume {{ $labels.persistentvolumeclaim }}" | quote }}
- alert: PayProofUnapplied
  expr: |-
    {{- $counters := list "payment_proofs_unapplied_total" "refund_proofs_unapplied_total" "settlement_proofs_unapplied_total" }}
    {{- include "pay.rises" (merge (dict "counters" $counters) $quarter) | nindent 4 }}
  labels: { severity: critical }
  annotations:
    summary: Money that a chain has proven is in no record
- alert: PayObservationRefused
  expr: |-
    {{- include "pay.rises" (merge (dict "counters" (list "observations_refused_total")) $quarter) | nindent 4 }}
  labels: { severity: critical }
  annotations:
    summary: An event about a transfer does not fit the record that it names
- alert: PayDeadLetters
  expr: sum by (service) (max by (service, pod) (dead_letters{ {{- $release -}} })) > 0
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: {{ "Events that {{ $labels.service }} could not handle wait for an operator" | quote }}
- alert: PayOutboxWaits
  expr: max(outbox_oldest_age_seconds{ {{- $release -}} }) > 60
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: Events are not published to Kafka
- alert: PayConsumerBehind
  expr: max by (group) (kafka_consumer_busy_seconds{ {{- $release -}} }) > 60
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: {{ "The consumer group {{ $labels.group }} has had one list in hand for over a minute" | quote }}
- alert: PayConsumerSilent
  expr: max by (group) (kafka_consumer_silent_seconds{ {{- $release -}} }) > 120
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: {{ "The consumer group {{ $labels.group }} is not in touch with Kafka" | quote }}
- alert: PayPartitionsRunOut
  expr: min(time_partitions_ahead_seconds{ {{- $release -}} }) < 14400
  for: 15m
  labels: { severity: critical }
  annotations:
    summary: A table has no partitions for the next hours, and writes will fail without them
- alert: PaySnapshotHeld
  expr: max(database_oldest_snapshot_seconds{ {{- $release -}} }) > 3600
  for: 5m
  labels: { severity: warning }
  annotations:
    summary: A transaction has kept rows from being removed for over an hour
- alert: PayChainStandsStill
  expr: max by (chain) (changes(chain_followed_block{ {{- $release -}} }[15m])) == 0
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: {{ "Chain {{ $labels.chain }} has had no new block for a quarter of an hour" | quote }}
- alert: PayProvidersDisagree
  expr: |-
    {{- include "pay.rises" (merge (dict "counters" (list "chain_provider_disagreements_total")) $quarterByChain) | nindent 4 }}
  labels: { severity: warning }
  annotations:
    summary: {{ "Providers of chain {{ $labels.chain }} disagree" | quote }}
- alert: PayProviderFails
  expr: min by (chain, provider) (chain_provider_failing{ {{- $release -}} }) > 0
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: {{ "Chain {{ $labels.chain }} does without {{ $labels.provider }}, which does not answer" | quote }}
- alert: PayProviderBehind
  expr: min by (chain, provider) (chain_provider_behind_blocks{ {{- $release -}} }) > 20
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: {{ "A provider of chain {{ $labels.chain }} is behind the others: {{ $labels.provider }}" | quote }}
- alert: PayTransfersOrphaned
  expr: |-
    {{- $counters := list "chain_transfers_orphaned_total" "chain_transfers_missed_total" }}
    {{- include "pay.rises" (merge (dict "counters" $counters) $quarterByChain) | nindent 4 }}
  labels: { severity: warning }
  annotations:
    summary: {{ "Transfers have left chain {{ $labels.chain }}, or were missed at first" | quote }}
- alert: PayProofsTakenBack
  expr: |-
    {{- include "pay.rises" (merge (dict "counters" (list "chain_payments_unproven_total")) $quarterByChain) | nindent 4 }}
  labels: { severity: critical }
  annotations:
    summary: {{ "A reorganisation of chain {{ $labels.chain }} has removed the proof of confirmed payments" | quote }}
- alert: PayTransactionsUnproven
  expr: |-
    {{- include "pay.rises" (merge (dict "counters" (list "chain_transactions_unproven_total") "window" "1h") $quarterByChain) | nindent 4 }}
  labels: { severity: warning }
  annotations:
    summary: {{ "Payments on chain {{ $labels.chain }} are in a block and cannot be proven" | quote }}
- alert: PaySignerFrozen
  expr: max by (chain) (chain_signers_frozen{ {{- $release -}} }) > 0
  labels: { severity: critical }
  annotations:
    summary: {{ "A wallet on chain {{ $labels.chain }} has sent something that the service did not sign" | quote }}
- alert: PaySignerUnusable
  expr: max by (chain) (chain_signers_unusable{ {{- $release -}} }) > 0
  labels: { severity: warning }
  annotations:
    summary: {{ "The key of a wallet on chain {{ $labels.chain }} cannot be used, and nothing is sent from it" | quote }}
- alert: PayTransfersHeld
  expr: max by (chain, reason) (chain_intents_held{ {{- $release -}} }) > 0
  for: 10m
  labels: { severity: warning }
  annotations:
    summary: {{ "Refunds or settlements on chain {{ $labels.chain }} are not sent: {{ $labels.reason }}" | quote }}
- alert: PayTransfersWait
  expr: max by (chain) (chain_intents_oldest_seconds{ {{- $release -}} }) > 3600
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: {{ "A refund or settlement on chain {{ $labels.chain }} should have been sent an hour ago" | quote }}
- alert: PaySumsBroken
  expr: max by (of) (refund_sums_broken{ {{- $release -}} }) > 0
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: {{ "Sums that are kept of {{ $labels.of }} are not what their refunds and settlements add up to" | quote }}
- alert: PayProofsBroken
  expr: max by (of) (payment_proofs_broken{ {{- $release -}} }) > 0
  for: 5m
  labels: { severity: critical }
  annotations:
    summary: {{ "Payments are not what their proven transfers say: {{ $labels.of }}" | quote }}
- alert: PayBooksDiffer
  expr: max by (chain) (chain_book_differences{ {{- $release -}} }) > 0
  labels: { severity: critical }
  annotations:
    summary: {{ "Chain {{ $labels.chain }} shows other movements of a merchant's wallet than are recorded" | quote }}
- alert: PayBooksBehind
  expr: time() - max by (chain) (chain_books_checked_timestamp_seconds{ {{- $release -}} }) > 7200
  for: 15m
  labels: { severity: warning }
  annotations:
    summary: {{ "The books of chain {{ $labels.chain }} have not been checked up to its final block for two hours" | quote }}
- alert: PayWalletUncovered
  expr: max(wallets_uncovered{ {{- $release -}} }) > 0
  for: 15m
  labels: { severity: warning }
  annotations:
    summary: Refunds and settlements take more from a wallet than it has received
- alert: PayRefundsUncovered
  expr: max(refunds_uncovered{ {{- $release -}} }) > 0
  for: 15m
  labels: { severity: warning }
  annotations:
    summary: Refunds give back more than is proven of their payments
{{- end -}}
