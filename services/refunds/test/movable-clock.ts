/** The real time, and what a test has added to it. */
export function createMovableClock() {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    move: (ms: number) => {
      ahead += ms;
    },
  };
}
