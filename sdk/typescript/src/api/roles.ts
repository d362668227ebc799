// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type { Role } from "./records/roles.ts";

export interface RolesUpdateBody {
  /** Scopes of the role, in each mode in which a member has it. */
  scopes: Array<string>;
}

export interface Roles {
  /** Create a role of the project, change its scopes, or delete it by an empty list. */
  update(name: string, body: RolesUpdateBody, options?: CallOptions): Promise<Answer<Role>>;
}
