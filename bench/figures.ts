export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One line per figure: `bench.figure value unit`. */
export function figure(name: string, value: number, unit: string): void {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) < 0.1 ? 4 : 2;
  process.stdout.write(`${name} ${value.toFixed(digits)} ${unit}\n`);
}
