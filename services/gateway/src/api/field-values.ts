// Values that fields of many answers share, each with its schema.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";

export const textOrNull = z.string().nullable();

export const isoTimeShape = z.iso.datetime({ precision: 3 });

export function isoTime(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}

/** A merchant's metadata comes back as it was given. */
export const metadataShape = z.record(z.string(), z.unknown()).nullable();

export function toMetadata(json: string | undefined): unknown {
  return json === undefined ? null : JSON.parse(json);
}
