// Given to a service by --import: its clock is off by as many milliseconds as the file of its name says.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const LOOK_MS = 200;
const [, name = ""] = process.argv[1]?.match(/services\/(\w+)\/src\/main\.ts$/) ?? [];
const folder = process.env.CLOCKS_FOLDER;

if (folder !== undefined && name !== "") {
  let jumpMs = 0;
  function look() {
    try {
      jumpMs = Number(readFileSync(join(folder, name), "utf8"));
    } catch {
      jumpMs = 0;
    }
  }

  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + jumpMs);
      else super(...given);
    }

    static now() {
      return Real.now() + jumpMs;
    }
  };
  setInterval(look, LOOK_MS).unref();
}
