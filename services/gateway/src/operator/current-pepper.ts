import { CommandFault } from "@pay/process";
import { type Pepper, parsePeppers } from "../keys/pepper.ts";

/** The pepper that new keys are digested under. */
export function currentPepper(text: string): Pepper {
  const peppers = parsePeppers(text);
  if (peppers !== undefined) return peppers[0];
  throw new CommandFault(
    "GATEWAY_KEY_PEPPER must be a list of version:secret, each secret 32 characters or more",
  );
}
