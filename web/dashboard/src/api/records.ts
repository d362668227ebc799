// Records of the API as the SDK generates them from the OpenAPI document.
export type {
  Chain,
  ChainToken,
  Member,
  MemberList,
  NeedItem,
  NeedList,
  Payment,
  PaymentExplain,
  PaymentItem,
  PaymentTimeline,
  Refund,
  Role,
  SearchItem,
  SearchResult,
  WebhookEndpoint,
  WebhookEndpointDeliveryItem,
} from "@pay/sdk";
