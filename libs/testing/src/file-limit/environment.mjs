// The environment of every test file. Jest bounds tests and hooks alone, and from the very thread that may be what
// hangs: a file that hangs while it is loaded, or in a call that never comes back, would hold the run for ever without
// a word. So another thread watches each file, says where it stood and ends its process, which Jest counts as a
// failure.
import { Worker } from "node:worker_threads";
import { TestEnvironment } from "jest-environment-node";
import "../code-cache.mjs";

// At its exit nothing is open any more. Node then takes the heap apart, which can take longer than the half second that
// Jest waits for a process of its own.
if (process.send !== undefined) process.once("exit", (code) => process.exit(code));

let watch;

/** One for all files that a process of Jest runs. */
function startWatch() {
  const started = new Worker(new URL("./watch.mjs", import.meta.url));
  started.unref();
  return started;
}

// Jest asks for a default export, and for a class.
export default class BoundedEnvironment extends TestEnvironment {
  #file;
  #limitMs;
  #parts;
  #test = "the file";

  constructor(config, context) {
    super(config, context);
    this.#file = context.testPath;
    const { limitMs, parts } = config.projectConfig.testEnvironmentOptions;
    this.#limitMs = limitMs;
    this.#parts = parts;
  }

  async setup() {
    await super.setup();
    if (this.#parts !== undefined) this.global.process.env.TEST_PARTS = this.#parts;
    // Without this channel it is the process of the run itself: one file alone, and perhaps under a debugger.
    if (process.send === undefined) return;
    watch ??= startWatch();
    watch.postMessage(["begin", { file: this.#file, limitMs: this.#limitMs }]);
  }

  handleTestEvent({ name, test, hook, error }) {
    if (name === "test_start") this.#test = `"${test.name}"`;
    if (name === "test_fn_start") watch?.postMessage(["enter", this.#test]);
    if (name === "hook_start") watch?.postMessage(["enter", `${hook.type} of ${this.#test}`]);
    if (name === "test_fn_failure" || name === "hook_failure") {
      watch?.postMessage(["fail", `${this.#test}: ${error?.message ?? error}`]);
    }
  }

  async teardown() {
    await super.teardown();
    watch?.postMessage(["end"]);
  }
}
