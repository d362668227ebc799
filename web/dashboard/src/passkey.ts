// Passkeys as the browser gives them: JSON from the server in, JSON for the server out.
import { PasskeyError } from "./passkey-error.ts";

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const base64 = text.replace(/-/g, "+").replace(/_/g, "/");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

const REASONS: Record<string, string> = {
  NotAllowedError: "No passkey was used. Try again when you are ready.",
  InvalidStateError: "This device already holds a passkey of yours.",
  SecurityError: "Passkeys do not work at this address. Open the dashboard at its own name.",
};

async function askBrowser(answer: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    return (await answer) as PublicKeyCredential;
  } catch (error) {
    const reason = error instanceof DOMException ? REASONS[error.name] : undefined;
    throw new PasskeyError(reason ?? "This browser cannot use passkeys here.");
  }
}

interface KnownCredential {
  id: string;
  type: "public-key";
  transports?: AuthenticatorTransport[];
}

function toDescriptors(known: KnownCredential[] = []): PublicKeyCredentialDescriptor[] {
  return known.map((one) => ({ ...one, id: toBytes(one.id) }));
}

function describeCredential({ id, rawId, type }: PublicKeyCredential) {
  return { id, rawId: toText(rawId), type };
}

export interface AssertionOptions {
  challenge: string;
  timeout?: number;
  rpId?: string;
  allowCredentials?: KnownCredential[];
  userVerification?: UserVerificationRequirement;
}

/** Asks the authenticator to sign the server's challenge. */
export async function signChallenge(options: AssertionOptions): Promise<object> {
  const { challenge, allowCredentials, ...others } = options;
  const credential = await askBrowser(
    navigator.credentials.get({
      publicKey: {
        ...others,
        challenge: toBytes(challenge),
        allowCredentials: toDescriptors(allowCredentials),
      },
    }),
  );
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    ...describeCredential(credential),
    response: {
      authenticatorData: toText(response.authenticatorData),
      clientDataJSON: toText(response.clientDataJSON),
      signature: toText(response.signature),
    },
  };
}

export interface CreationOptions {
  challenge: string;
  rp: PublicKeyCredentialRpEntity;
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: PublicKeyCredentialParameters[];
  timeout?: number;
  attestation?: AttestationConveyancePreference;
  excludeCredentials?: KnownCredential[];
  authenticatorSelection?: AuthenticatorSelectionCriteria;
}

/** Asks the authenticator for a new passkey. */
export async function createPasskey(options: CreationOptions): Promise<object> {
  const { challenge, rp, user, pubKeyCredParams, timeout } = options;
  const { attestation, excludeCredentials, authenticatorSelection } = options;
  const credential = await askBrowser(
    navigator.credentials.create({
      publicKey: {
        rp,
        pubKeyCredParams,
        ...(timeout !== undefined && { timeout }),
        ...(attestation && { attestation }),
        ...(authenticatorSelection && { authenticatorSelection }),
        challenge: toBytes(challenge),
        user: { ...user, id: toBytes(user.id) },
        excludeCredentials: toDescriptors(excludeCredentials),
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    ...describeCredential(credential),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}
