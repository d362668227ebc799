// The id merchants see is the row's own, spelled like all other ids; nothing more is stored for it.
import { toBase62 } from "@pay/money";

const DIGITS = 24;

export const deliveryIdOf = (uuid: string): string =>
  `del_${toBase62(Buffer.from(uuid.replaceAll("-", ""), "hex"), DIGITS)}`;
