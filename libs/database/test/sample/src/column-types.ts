import { hexBytes } from "@pay/database";

export interface ColumnTypes {
  "owners.id": `owner_${string}`;
}

export const codecs = { key_bytes: hexBytes };
