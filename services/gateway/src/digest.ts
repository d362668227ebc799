import { createHmac } from "node:crypto";

/** What is stored of a key, a session or a name instead of itself; without the pepper it can neither be found nor guessed. */
export const digestKey = (key: string, pepper: string): Buffer =>
  createHmac("sha256", pepper).update(key).digest();
