// Isolation of what waits for a person: each project and mode has its own, and so has what people note about it.
import { expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import type { Tenant } from "./tenants.ts";

export function describeNeeds(getTenants: () => { mine: Tenant; theirs: Tenant }): void {
  test("what waits is one's own alone, and so is what people note about it", async () => {
    const { mine, theirs } = getTenants();
    const sides = [mine.live, mine.test, theirs.live, theirs.test];
    /** A busy machine may answer a list with a part of it left out. */
    function list({ as }: Pick<(typeof sides)[number], "as">, query = "") {
      return until(async () => {
        const { body } = await as("GET", `/v1/needs?limit=100${query}`);
        return body.incomplete.length === 0 && (body.data as { id: string }[]);
      });
    }

    for (const side of sides) {
      const { ids } = side;
      const listed = (await list(side)).map(({ id }) => id);
      expect(listed).toEqual(expect.arrayContaining([ids.refund, ids.stl]));
      const others = sides.filter((side) => side.ids !== ids);
      for (const other of others) expect(listed).not.toContain(other.ids.refund);
    }
    const { as, ids } = mine.live;
    const path = `/v1/needs/${ids.stl}`;
    const taken = await as("POST", path, { take: true, note: "Ask Ane" });
    expect(taken.body).toMatchObject({
      kind: "settlement_approval",
      note: "Ask Ane",
      doneAt: null,
    });
    async function find(query: string) {
      const needs = await list({ as }, `&kind=settlement_approval${query}`);
      return needs.find(({ id }) => id === ids.stl);
    }

    expect(await find("&taken=me")).toMatchObject({ takenBy: taken.body.takenBy });
    expect(await find("&taken=nobody")).toBeUndefined();
    expect(await list({ as }, "&kind=late")).toEqual([]);
    for (const side of [mine.test, theirs.live]) {
      expect((await side.as("POST", path, { done: true })).status).toBe(404);
    }
    expect((await as("POST", path, { done: true })).status).toBe(200);
    expect(await find("")).toBeUndefined();
    const [entry] = (await as("GET", `/v1/audit?targetId=${ids.stl}&action=needs.update`)).body
      .data;
    expect(entry).toMatchObject({ changes: [{ field: "doneAt", before: null }], statusCode: 200 });
    await as("POST", path, { take: false, note: "", done: false });
    expect(await find("")).toMatchObject({ takenBy: null, note: null });
  });
}
