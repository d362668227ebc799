// Records of the API as the SDK generates them from the OpenAPI document.
export type {
  Chain,
  ChainToken,
  Payment,
  PaymentExplain,
  PaymentItem,
  PaymentTimeline,
  Refund,
  SearchItem,
  SearchResult,
  WebhookEndpoint,
  WebhookEndpointDeliveryItem,
} from "@pay/sdk";
