// The key of a record. Records of one key are in one partition, in their order: those of one resource always, and those
// of a project in as many partitions as its topic has, so that all consumers share the work of one merchant.
import { crc32 } from "node:zlib";
import type { Event } from "@pay/proto";

/** Far more than a topic has consumers, so that each gets about as much of one project. */
const BUCKETS = 64;

export function toRecordKey(projectId: string, resourceId: string): string {
  return `${projectId}/${crc32(resourceId) % BUCKETS}`;
}

/** A refund's event has the sums of all refunds of its payment, so these keep their order together. */
export function chooseKey({ projectId, resourceId, resource }: Event): string {
  const about = resource.case === "refund" ? resource.value.paymentId : resourceId;
  return toRecordKey(projectId, about);
}
