// How many connections an example opens at most on one PostgreSQL, while every Deployment is replaced at once.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { describeWithHelm, EXAMPLES, example, type Manifest, manifests, named } from "./chart.ts";

/** What PostgreSQL's defaults leave for roles that are no superusers. */
const DEFAULT_CONNECTIONS = 97;

function countConnections(all: readonly Manifest[]): number {
  const pods = all
    .filter(({ kind }) => kind === "Deployment")
    .map(({ metadata, spec }) => {
      const { data } = named(all, "ConfigMap", metadata.name);
      const [poolMax] = Object.entries(data).flatMap(([name, value]) =>
        name.endsWith("_DATABASE_POOL_MAX") ? [Number(value)] : [],
      );
      return (spec.replicas + spec.strategy.rollingUpdate.maxSurge) * (poolMax ?? Number.NaN);
    });
  const migrations = all.filter(({ kind }) => kind === "Job").length;
  return pods.reduce((sum, one) => sum + one, migrations);
}

describeWithHelm("connections", () => {
  test.each(EXAMPLES)("%s says how many connections its PostgreSQL must allow", async (name) => {
    const text = readFileSync(example(name), "utf8").replaceAll(/\n# /g, " ");
    const stated = Number(/must allow (\d+) connections/.exec(text)?.[1]);
    expect(countConnections(await manifests(example(name)))).toBe(stated);
  });

  test("the least install fits a PostgreSQL as it comes", async () => {
    const least = countConnections(await manifests(example("minimal")));
    expect(least).toBeLessThanOrEqual(DEFAULT_CONNECTIONS);
  });
});
