{{/*
What the six services need of each other and of the outside, in one place:
prefix of its variables, the port it serves, the services it calls, and the keys it is given.
*/}}
{{- define "pay.wiring" -}}
gateway:
  prefix: GATEWAY
  port: 8080
  portVariable: PORT
  calls: [payments, customers, refunds, chains, webhooks]
  keys:
    GATEWAY_KEY_PEPPER: keyPepper
    GATEWAY_CALLER_TOKENS: gatewayTokens
payments:
  prefix: PAYMENTS
  port: 50051
  portVariable: PAYMENTS_GRPC_PORT
  calls: [chains]
  keys:
    PAYMENTS_CLIENT_SECRET_KEYS: clientSecret
    PAYMENTS_CALLER_TOKENS: paymentsTokens
    GATEWAY_CALLER_TOKENS: gatewayTokens
    REFUNDS_CALLER_TOKENS: refundsTokens
    CHAINS_CALLER_TOKENS: chainsTokens
customers:
  prefix: CUSTOMERS
  port: 50051
  portVariable: CUSTOMERS_GRPC_PORT
  calls: []
  keys:
    GATEWAY_CALLER_TOKENS: gatewayTokens
refunds:
  prefix: REFUNDS
  port: 50051
  portVariable: REFUNDS_GRPC_PORT
  calls: [payments, chains]
  keys:
    REFUNDS_CALLER_TOKENS: refundsTokens
    GATEWAY_CALLER_TOKENS: gatewayTokens
chains:
  prefix: CHAINS
  port: 50051
  portVariable: CHAINS_GRPC_PORT
  calls: [payments]
  keys:
    CHAINS_CALLER_TOKENS: chainsTokens
    GATEWAY_CALLER_TOKENS: gatewayTokens
    PAYMENTS_CALLER_TOKENS: paymentsTokens
    REFUNDS_CALLER_TOKENS: refundsTokens
webhooks:
  prefix: WEBHOOKS
  port: 50051
  portVariable: WEBHOOKS_GRPC_PORT
  calls: []
  keys:
    WEBHOOKS_SECRET_KEYS: webhookSecret
    GATEWAY_CALLER_TOKENS: gatewayTokens
{{- end -}}

{{/* A service's settings: the defaults, then its own. Takes root and service. */}}
{{- define "pay.settings" -}}
{{- $own := get .root.Values.services .service | default dict -}}
{{- $settings := mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) -}}
{{- /* Kubernetes takes one of its two entries only, so it is not merged key by key. */ -}}
{{- with $own.disruptionBudget -}}
{{- $settings = set $settings "disruptionBudget" . -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{- define "pay.postgres" -}}
{{- $own := get .root.Values.postgres .service | default dict -}}
{{- mustMergeOverwrite (deepCopy .root.Values.postgres.defaults) (deepCopy $own) | toYaml -}}
{{- end -}}
