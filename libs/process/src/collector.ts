import { setFlagsFromString } from "node:v8";

/**
 * To be called before the first request. V8 allocates objects directly in the old generation at allocation sites whose
 * earlier objects survived. A service creates its lasting objects at start-up from the same sites that later create
 * objects for one request; in the old generation these keep all objects that they refer to, and minor collections
 * grow from less than one millisecond to more than ten.
 */
export function disablePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
