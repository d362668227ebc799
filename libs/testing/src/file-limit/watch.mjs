// The thread that watches the test files of one process: it runs on while the files' own thread is blocked.
import { execFileSync } from "node:child_process";
import { writeSync } from "node:fs";
import { relative } from "node:path";
import { parentPort } from "node:worker_threads";

const STDERR = 2;
const PS_TIMEOUT_MS = 10_000;

let timer;
let place;
/** Jest tells them at the end of a file, which this one will not reach. */
let failures;

/** This process and all below it, a line each: what a file waits for is often one of them. */
function processes() {
  try {
    const columns = "pid=,ppid=,stat=,etime=,args=";
    const options = { encoding: "utf8", timeout: PS_TIMEOUT_MS };
    const family = new Set([process.pid]);
    // By age, so that a parent comes before what it started.
    const lines = execFileSync("ps", ["-e", "-o", columns, "--sort", "start_time"], options);
    return lines.split("\n").filter((line) => {
      const [pid, parent] = line.trim().split(/\s+/, 2).map(Number);
      return family.has(pid) || (family.has(parent) && family.add(pid));
    });
  } catch {
    return ["(its processes could not be listed)"];
  }
}

function end(file, limitMs) {
  const name = relative(process.cwd(), file);
  const said = `${name} has not ended after ${limitMs / 1000} s; it stood in ${place}`;
  const lines = [said, "Failed before:", ...failures, "Its processes:", ...processes()];
  writeSync(STDERR, `${lines.join("\n")}\n`);
  process.kill(process.pid, "SIGKILL");
}

const MESSAGES = {
  begin: ({ file, limitMs }) => {
    [place, failures] = ["its loading", []];
    timer = setTimeout(end, limitMs, file, limitMs);
  },
  enter: (name) => {
    place = name;
  },
  fail: (failure) => void failures.push(failure),
  end: () => clearTimeout(timer),
};

parentPort.on("message", ([what, about]) => MESSAGES[what](about));
