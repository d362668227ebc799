// Idle pages in a process of their own: its open files are not those of the load generator. Each request opens the
// streams of more payments, or closes all of them.
import { servePart } from "./child.ts";
import { type Followed, openStatusStreams, type StatusStreams } from "./status-streams.ts";

const open: StatusStreams[] = [];

servePart(async ({ port, payments }: { port: number; payments: Followed[] }) => {
  if (payments.length === 0) for (const streams of open.splice(0)) streams.close();
  else open.push(await openStatusStreams(port, payments));
  return undefined;
});
