// A process that starts PostgreSQL on the folder it is given, says so, and then waits to be killed.
import { startPostgres } from "@pay/embedded";

const [dataDir = ""] = process.argv.slice(2);
const { pid, port, url } = await startPostgres({ dataDir });
process.stdout.write(`${JSON.stringify({ pid, port, url: url() })}\n`);
setInterval(() => {}, 60_000);
