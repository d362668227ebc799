/** No limit at all: most tests would measure the machine. */
const UNLIMITED = {
  live: { perSecond: 0 },
  test: { perSecond: 0 },
  routePerSecond: 0,
  addressPerSecond: 0,
  publicPerSecond: 0,
  wrongSecretsPerMinute: 0,
  ssoPerSecond: 0,
  wrongKeysPerMinute: 0,
};

/** The gateway's variable with these limits and no others. */
export function limitRates(limits: object = {}): { RATE_LIMITS: string } {
  return { RATE_LIMITS: JSON.stringify({ ...UNLIMITED, ...limits }) };
}
