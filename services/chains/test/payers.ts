// What a payer signs for the test token: a transfer that somebody else sends, and the end of one.
import { Mode, type SubmitAuthorizationRequest } from "@pay/proto";
import type { TestChain } from "@pay/testing";
import {
  AUTHORIZATION_TYPES,
  toAddress,
  toAuthorizationDomain,
  toAuthorizationNonce,
  toReference,
} from "@pay/values";
import { type BaseWallet, Interface, Signature } from "ethers";
import { PROJECT } from "./chains.ts";

const TOKEN = new Interface([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
]);
const CANCEL_TYPES = {
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
};
/** Of a transaction that comes into its block before those of the service. */
const HURRIED = { gasPrice: 10n ** 12n, gas: 200_000n };
const VALID_S = 600;

export const TENANT = { projectId: PROJECT, mode: Mode.TEST };

export type Change = Partial<
  Pick<SubmitAuthorizationRequest, "baseAmount" | "validBefore" | "nonce" | "namesPayment">
>;

type Request = Omit<SubmitAuthorizationRequest, "$typeName" | "tenant" | "triesOnly">;

export interface SignedTransfer extends Request {
  tenant: typeof TENANT;
  /** The call that moves the money. */
  data: string;
}

export interface Payer {
  readonly address: string;
  sign(
    order: { paymentId: string; shop: string; amount: bigint },
    change?: Change,
  ): Promise<SignedTransfer>;
  /** Ends it. Its transaction comes before those of the service, as that of `send`, which moves the money. */
  cancel(signed: SignedTransfer): Promise<string>;
  send(signed: SignedTransfer): Promise<string>;
  /** Whether it was spent or cancelled. */
  isOver(signed: SignedTransfer): Promise<boolean>;
  balance(account: string): Promise<bigint>;
}

export function createPayer(chain: TestChain, wallet: BaseWallet): Payer {
  const { name, address } = chain.token;
  const place = { chainId: chain.chainId, token: toAddress(address) };
  const domain = toAuthorizationDomain({ name, version: "1" }, place);

  function submit(data: string) {
    return chain.submit({ to: address, data, ...HURRIED });
  }

  async function view(data: string) {
    return BigInt((await chain.call("eth_call", [{ to: address, data }, "latest"])) as string);
  }

  return {
    address: wallet.address,
    sign: async ({ paymentId, shop, amount }, change = {}) => {
      const unsigned = {
        tenant: TENANT,
        paymentId,
        requestId: "request-1",
        chainId: BigInt(chain.chainId),
        token: address,
        payer: wallet.address,
        recipient: shop,
        baseAmount: `${amount}`,
        validAfter: 0n,
        validBefore: BigInt(Math.floor(Date.now() / 1_000) + VALID_S),
        nonce: toAuthorizationNonce(toReference(paymentId), 0),
        recipientAddress: shop,
        isDue: true,
        namesPayment: true,
        ...change,
      };
      const message = {
        from: unsigned.payer,
        to: unsigned.recipient,
        value: unsigned.baseAmount,
        validAfter: unsigned.validAfter,
        validBefore: unsigned.validBefore,
        nonce: unsigned.nonce,
      };
      const types = {
        TransferWithAuthorization: [...AUTHORIZATION_TYPES.TransferWithAuthorization],
      };
      const signature = await wallet.signTypedData(domain, types, message);
      const { v, r, s } = Signature.from(signature);
      const args = [...Object.values(message), v, r, s];
      const data = TOKEN.encodeFunctionData("transferWithAuthorization", args);
      return { ...unsigned, signature, data };
    },
    cancel: async ({ nonce }) => {
      const ended = { authorizer: wallet.address, nonce };
      const { v, r, s } = Signature.from(await wallet.signTypedData(domain, CANCEL_TYPES, ended));
      return submit(
        TOKEN.encodeFunctionData("cancelAuthorization", [wallet.address, nonce, v, r, s]),
      );
    },
    send: ({ data }) => submit(data),
    isOver: async ({ nonce }) => {
      const args = [wallet.address, nonce];
      return (await view(TOKEN.encodeFunctionData("authorizationState", args))) === 1n;
    },
    balance: (account) => view(TOKEN.encodeFunctionData("balanceOf", [account])),
  };
}
