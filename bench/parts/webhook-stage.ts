// What every measurement of webhooks stands on: a receiver with TLS, a PostgreSQL, and an empty folder for the server
// that is measured.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, startPostgres } from "@pay/embedded";
import { type Receiver, startReceiver } from "./start-receiver.ts";
import type { TargetOptions } from "./webhook-target.ts";
import type { Undo } from "./with-undo.ts";

export interface Stage {
  receiver: Receiver;
  options: TargetOptions;
}

export async function openStage(undo: Undo, idHeader?: string): Promise<Stage> {
  const authority = createAuthority();
  const receiver = await startReceiver(authority.issue({ names: ["127.0.0.1"] }), idHeader);
  undo.push(receiver.stop);
  const folder = await mkdtemp(join(tmpdir(), "pay-bench-webhooks-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  undo.push(() => postgres.stop());
  const own = join(folder, "target");
  await mkdir(own);
  return { receiver, options: { ca: authority.ca, folder: own, postgres, undo } };
}
