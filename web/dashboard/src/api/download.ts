// A file of the service, saved by the browser. It may be long, so it ends when nothing comes for a while.
import { ApiError } from "./send.ts";
import type { Workspace } from "./session.ts";

const SILENCE_MS = 30_000;

interface Wanted {
  path: string;
  accept: string;
  name: string;
}

export async function download(
  { membership, mode }: Workspace,
  { path, accept, name }: Wanted,
): Promise<void> {
  const headers = { Accept: accept, "X-Project": membership.projectId, "X-Service-Mode": mode };
  const controller = new AbortController();
  let timer = setTimeout(() => controller.abort(), SILENCE_MS);
  try {
    const response = await fetch(path, { headers, signal: controller.signal });
    if (!response.ok) throw new ApiError(response, await response.json().catch(() => ({})));
    const parts: BlobPart[] = [];
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), SILENCE_MS);
      parts.push(part.value);
    }
    save(new Blob(parts, { type: accept }), name);
  } finally {
    clearTimeout(timer);
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
