// What `npm start` and `npm test` run first: packages, then generated code, each only when it is stale.
// Plain JavaScript without a dependency, because a fresh clone has nothing else yet; it and its folder are the only
// files that must also run on Node 20. The rest of the product runs on the Node 24 that this step installs.
// A run that finds nothing stale takes a few milliseconds of work; a failed run leaves no stamp behind.
import { generate, staleUnits } from "./setup/generated.mjs";
import { withLock } from "./setup/lock.mjs";
import { areInstalled, installPackages } from "./setup/packages.mjs";
import { SetupError } from "./setup/run.mjs";

async function main() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20)
    throw new SetupError(`Node 20 or newer is needed to install; this is ${process.version}`);
  if (areInstalled() && staleUnits().length === 0) return;
  await withLock(async () => {
    await installPackages();
    await generate();
  });
}

main().catch((error) => {
  const known = error instanceof SetupError;
  process.stderr.write(`set-up: ${known ? error.message : (error.stack ?? error)}\n`);
  process.exit(1);
});
