// Isolation of what waits for a person: each project and mode has its own, and so has what people note about it.
import { expect, test } from "@jest/globals";
import type { Tenant } from "./tenants.ts";

export function describeNeeds(getTenants: () => { mine: Tenant; theirs: Tenant }): void {
  test("what waits is one's own alone, and so is what people note about it", async () => {
    const { mine, theirs } = getTenants();
    const sides = [mine.live, mine.test, theirs.live, theirs.test];
    for (const { as, ids } of sides) {
      const { body } = await as("GET", "/v1/needs?limit=100");
      const listed = body.data.map(({ id }: { id: string }) => id);
      expect(listed).toEqual(expect.arrayContaining([ids.refund, ids.stl]));
      const others = sides.filter((side) => side.ids !== ids);
      for (const other of others) expect(listed).not.toContain(other.ids.refund);
      expect(body.incomplete).toEqual([]);
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
      const { body } = await as("GET", `/v1/needs?limit=100&kind=settlement_approval${query}`);
      return body.data.find(({ id }: { id: string }) => id === ids.stl);
    }

    expect(await find("&taken=me")).toMatchObject({ takenBy: taken.body.takenBy });
    expect(await find("&taken=nobody")).toBeUndefined();
    expect((await as("GET", "/v1/needs?limit=100&kind=late")).body.data).toEqual([]);
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
