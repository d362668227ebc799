import type { PageRequest } from "@pay/proto";
import { Failure } from "@pay/rpc";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** A page with its defaults; what is out of bounds is refused, so that no list is unbounded. */
export const pageOf = (
  request: PageRequest | undefined,
): { page: number; limit: number; after: string } => {
  const { page = 0, limit = 0, after = "" } = request ?? {};
  if (page < 0) throw new Failure("invalid_argument", "page must be 1 or more");
  if (limit < 0 || limit > LIMIT_MAX) {
    throw new Failure("invalid_argument", `limit must be 1 to ${LIMIT_MAX}`);
  }
  return { page: page || 1, limit: limit || LIMIT_DEFAULT, after };
};
