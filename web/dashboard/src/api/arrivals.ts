// When the reader last did something after which rows may move: an own write, or the return to the page.
let expectedAt = 0;

export function expectRows(): void {
  expectedAt = Date.now();
}

export function getExpectedAt(): number {
  return expectedAt;
}
