// What the set-up prints, and the failures that it explains.
export class SetupError extends Error {}

export function say(text) {
  return process.stdout.write(`set-up: ${text}\n`);
}

export function seconds(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}
