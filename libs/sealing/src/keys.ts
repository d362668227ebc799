import type { SealingKey, SealingKeys } from "./box.ts";

/**
 * Reads `version:base64 of 32 bytes`, versions from 1 to 255, several of them separated by commas; undefined when it is
 * not that.
 */
export function parseSealingKeys(text: string): SealingKeys | undefined {
  const keys = new Map<number, Buffer>();
  for (const entry of text.split(",")) {
    const [, version, encoded] = /^(\d{1,3}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()) ?? [];
    if (version === undefined || encoded === undefined) return undefined;
    const number = Number(version);
    if (number < 1 || number > 255 || keys.has(number)) return undefined;
    keys.set(number, Buffer.from(encoded, "base64"));
  }
  const [current, ...others]: SealingKey[] = [...keys].map(([version, key]) => ({ version, key }));
  return current && [current, ...others];
}
