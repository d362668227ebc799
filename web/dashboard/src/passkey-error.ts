/** Why there was no confirmation and no passkey, in words for the person before it. */
export class PasskeyError extends Error {}
