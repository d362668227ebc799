import type { SealingKey, SealingKeys } from "./box.ts";

/**
 * Reads `version:base64 of 32 bytes`, versions from 1 to 255, several of them separated by commas; undefined when it is
 * not that. The highest version comes first.
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
  const list: SealingKey[] = [...keys].map(([version, key]) => ({ version, key }));
  const [newest, ...older] = list.sort((a, b) => b.version - a.version);
  return newest && [newest, ...older];
}
