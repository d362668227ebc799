// npm run drill -- failover: what an outage of the database loses, and how long it lasts, in the distributed product on
// this machine; in three minutes.
import { runSlowTest } from "./slow-test.ts";

const DRILLS = ["failover"];

const [name = ""] = process.argv.slice(2);
if (DRILLS.includes(name)) {
  runSlowTest(name);
} else {
  process.stderr.write(`usage: npm run drill -- ${DRILLS.join("|")}\n`);
  process.exitCode = 1;
}
