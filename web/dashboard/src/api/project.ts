// The settings of the project, which it has once for both modes.
import type { UseQueryResult } from "@tanstack/react-query";
import { useApi, useWrite } from "./queries.ts";
import type { Project, UpdatedProject } from "./records.ts";
import { callApi } from "./request.ts";
import type { Answer } from "./send.ts";
import { useWorkspace } from "./session.ts";

const PATH = "/v1/projects/me";
const EXTRAS = [
  "paymentLifetimeMinutes",
  "payoutWallets",
  "wallets",
  "pendingWallets",
  "unnamedTransfers",
  "reference",
  "depositAddresses",
  "screening",
  "variant",
  "sso",
  "notices",
  "logoUrl",
] as const;

/** With all that an answer shows only where it is named. */
export type Settings = Project & Required<Pick<Project, (typeof EXTRAS)[number]>>;

const SETTINGS_PATH = `${PATH}?expand=${EXTRAS.join(",")}`;

export function useSettings(): UseQueryResult<Answer<Settings>, Error> {
  return useApi<Settings>(SETTINGS_PATH);
}

/** A change begins at the newest settings, so that of two people who save at once none undoes what the other did. */
export function useSaveSettings() {
  const workspace = useWorkspace();
  const { mutateAsync } = useWrite<UpdatedProject>();
  return async (change: (now: Settings) => object): Promise<Answer<UpdatedProject>> => {
    const { body: now } = await callApi<Settings>(workspace, SETTINGS_PATH);
    const idempotencyKey = crypto.randomUUID();
    return mutateAsync({ path: PATH, method: "PUT", body: change(now), idempotencyKey });
  };
}
