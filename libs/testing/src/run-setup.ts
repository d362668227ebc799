import { startRun } from "./run-parts.ts";

// Jest asks for a default export.
export default startRun;
