import { randomUUIDv7 } from "node:crypto";

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;
const KEY_LIKE = /^[srp]k_|^cs_|^whsec_|^sess_/;

/** The client's own id where it is fit for headers and logs and is no secret sent by mistake, else a new one. */
export function chooseRequestId(header: string | string[] | undefined): string {
  return typeof header === "string" && SANE.test(header) && !KEY_LIKE.test(header)
    ? header
    : randomUUIDv7();
}
