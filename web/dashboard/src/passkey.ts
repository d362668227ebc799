// Passkeys as the browser gives them: JSON from the server in, JSON for the server out.

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const base64 = text.replace(/-/g, "+").replace(/_/g, "/");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

export interface AssertionOptions {
  challenge: string;
  timeout?: number;
  rpId?: string;
  allowCredentials?: { id: string; type: "public-key"; transports?: AuthenticatorTransport[] }[];
  userVerification?: UserVerificationRequirement;
}

/** Asks the authenticator to sign the server's challenge. */
export async function signChallenge(options: AssertionOptions): Promise<object> {
  const { challenge, allowCredentials = [], ...others } = options;
  const credential = (await navigator.credentials.get({
    publicKey: {
      ...others,
      challenge: toBytes(challenge),
      allowCredentials: allowCredentials.map((known) => ({ ...known, id: toBytes(known.id) })),
    },
  })) as PublicKeyCredential;
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    clientExtensionResults: credential.getClientExtensionResults(),
    authenticatorAttachment: credential.authenticatorAttachment,
    response: {
      authenticatorData: toText(response.authenticatorData),
      clientDataJSON: toText(response.clientDataJSON),
      signature: toText(response.signature),
      userHandle: response.userHandle === null ? undefined : toText(response.userHandle),
    },
  };
}
