/** The resource in a service's answer; without one the service is at fault. */
export function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a service answered without the resource");
  return part;
}
