// An authorization by what its payer has signed, for a server that has lost the answer to its submission.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FindAuthorizationRequest, FindAuthorizationResponseSchema } from "@pay/proto";
import { parseChain, parseTenant } from "@pay/rpc";
import { toAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { findAuthorizationByNonce, findAuthorizations } from "../payouts/storage/authorizations.ts";
import { toAuthorizationMessage } from "./submit-authorization.ts";

export async function findAuthorization(
  { pool }: Deps,
  { tenant: of, chainId, token, payer, nonce }: FindAuthorizationRequest,
): Promise<MessageInitShape<typeof FindAuthorizationResponseSchema>> {
  const tenant = parseTenant(of);
  const found = await findAuthorizationByNonce(pool, {
    ...tenant,
    chainId: parseChain(chainId),
    token: toAddress(token),
    payer: toAddress(payer),
    nonce,
  });
  if (found === undefined) return {};
  const [row] = await findAuthorizations(pool, [{ ...tenant, subjectId: found.subject_id }]);
  return row === undefined
    ? {}
    : {
        authorization: toAuthorizationMessage(row),
        paymentId: found.payment_id,
        validBefore: BigInt(Math.floor(found.valid_before.getTime() / 1_000)),
      };
}
