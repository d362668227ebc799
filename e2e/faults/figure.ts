/** One line, outside of what the test runner prints: `drill.figure value`. */
export function figure(name: string, value: number): void {
  process.stdout.write(`${name} ${Number(value.toFixed(1))}\n`);
}
