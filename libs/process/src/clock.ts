/** The only source of time: a test passes in a clock that it moves. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
