// A key in an encrypted file (version 3 of the keystore format) with its passphrase in another. The key is decrypted
// once, at the start, and stays in the memory of this process; no message here quotes what the files hold.
import { type Address, toAddress, toTxHash } from "@pay/values";
import { encryptKeystoreJson, HDNodeWallet, type SigningKey, Wallet } from "ethers";
import { type KeyHolder, readSignerFile, SignerFault, toUnsigned } from "./signer.ts";

export interface KeystoreFiles {
  keystoreFile: string;
  passphraseFile: string;
}

async function decrypt({ keystoreFile, passphraseFile }: KeystoreFiles): Promise<SigningKey> {
  const json = readSignerFile(keystoreFile);
  const passphrase = readSignerFile(passphraseFile).replace(/\r?\n$/, "");
  let wallet: Wallet | HDNodeWallet;
  try {
    wallet = await Wallet.fromEncryptedJson(json, passphrase);
  } catch (error) {
    const isPassphrase = (error as { argument?: unknown }).argument === "password";
    throw new SignerFault(
      isPassphrase
        ? `the passphrase in ${passphraseFile} does not open ${keystoreFile}`
        : `${keystoreFile} is no keystore file of version 3`,
    );
  }
  return wallet.signingKey;
}

export async function openKeystore(files: KeystoreFiles, address: Address): Promise<KeyHolder> {
  const key = await decrypt(files);
  const own = toAddress(new Wallet(key).address);
  if (own !== address) throw new SignerFault(`${files.keystoreFile} is the key of another address`);
  return {
    sign: async (asked) => {
      const transaction = toUnsigned(asked);
      transaction.signature = key.sign(transaction.unsignedHash);
      return { raw: transaction.serialized, txHash: toTxHash(transaction.hash ?? "") };
    },
    close: () => {},
  };
}

/** Rounds of scrypt: few, because the phrase of a development chain is public. */
const DEVELOPMENT_ROUNDS = 1_024;

/** A keystore for an account of a development chain, from the phrase that its node prints. */
export async function developmentKeystore(
  phrase: string,
  { account, passphrase }: { account: number; passphrase: string },
): Promise<{ address: string; keystore: string }> {
  const wallet = HDNodeWallet.fromPhrase(phrase, undefined, `m/44'/60'/0'/0/${account}`);
  const { address, privateKey } = wallet;
  const scrypt = { N: DEVELOPMENT_ROUNDS };
  return {
    address,
    keystore: await encryptKeystoreJson({ address, privateKey }, passphrase, { scrypt }),
  };
}
