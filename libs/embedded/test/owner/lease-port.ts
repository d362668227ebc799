import { leasePort } from "@pay/embedded";

process.stdout.write(`${await leasePort()}\n`);
setInterval(() => {}, 60_000);
