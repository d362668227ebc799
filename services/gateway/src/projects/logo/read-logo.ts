// The logo that a merchant names is read once, when it is saved. What is there and is no image within the bounds is
// refused; an address that gives nothing now is saved, because a shop's settings must not depend on another server, and
// the answer warns that nothing is shown.
import { type Egress, type Policy, toPublicFault } from "@pay/egress";
import { Failure } from "@pay/failures";
import { type Image, LOGO_BYTES_MAX, readImage } from "./image.ts";

const TIMEOUT_MS = 3_000;
const ACCEPT = "image/png, image/jpeg, image/webp";

export interface ReadLogo {
  image?: Image;
  /** Why there is none. */
  warning?: string;
}

/** The canonical address, checked by its text alone before anything is sent there. */
export function checkLogoUrl(policy: Policy, name: string, logoUrl: string): string {
  const { url, refused } = policy.check(logoUrl);
  if (url === undefined) throw new Failure("field_invalid", `${name}.logoUrl ${refused}`);
  return url;
}

export async function readLogo(egress: Pick<Egress, "getBytes">, url: string): Promise<ReadLogo> {
  const answer = await egress.getBytes({
    url,
    accept: ACCEPT,
    bytesMax: LOGO_BYTES_MAX,
    timeoutMs: TIMEOUT_MS,
  });
  if (answer.fault !== undefined) {
    return { warning: toWarning(toPublicFault(answer.fault).replaceAll("_", " ")) };
  }
  if (answer.statusCode !== 200) return { warning: toWarning(`it answered ${answer.statusCode}`) };
  const image = answer.complete ? readImage(answer.bytes) : undefined;
  if (image !== undefined) return { image };
  throw new Failure(
    "field_invalid",
    "branding.logoUrl must lead to a PNG, JPEG or WebP image of at most 100 kB and 4 million pixels",
  );
}

function toWarning(reason: string): string {
  return `branding.logoUrl could not be read (${reason}), so no logo is shown; save it again to try again`;
}
