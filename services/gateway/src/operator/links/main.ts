import { runDashboardLink } from "../members.ts";

process.exitCode = await runDashboardLink(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
