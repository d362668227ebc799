// What pages read, kept by project, mode and address, so that a page shows at once what was read before.
import {
  keepPreviousData,
  type UseQueryResult,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { expectRows } from "./arrivals.ts";
import { addPasskey } from "./own.ts";
import type { Chain, ChainToken } from "./records.ts";
import { callApi } from "./request.ts";
import { type Answer, ApiError } from "./send.ts";
import { type Mode, type Session, useWorkspace, type Workspace } from "./session.ts";

const CATALOG_STALE_MS = 10 * 60_000;

function queryKey({ membership, mode }: Workspace, path: string) {
  return [membership.projectId, mode, path];
}

interface Reading<Body> {
  staleMs?: number;
  /** How soon it is read again, by the answer so far where that decides. */
  refetchMs?: number | false | ((body: Body | undefined) => number | false);
  isWanted?: boolean;
  /** Another than that of the page. */
  mode?: Mode;
  /** Shows the answer of the last address until the new one comes, e.g. for the next page of a list. */
  keepsPrevious?: boolean;
}

export function useApi<Body>(
  path: string,
  {
    staleMs = 2_000,
    refetchMs = false,
    isWanted = true,
    keepsPrevious = false,
    mode,
  }: Reading<Body> = {},
): UseQueryResult<Answer<Body>, Error> {
  const here = useWorkspace();
  const workspace = mode === undefined ? here : { ...here, mode };
  return useQuery({
    queryKey: queryKey(workspace, path),
    queryFn: ({ signal }) => callApi<Body>(workspace, path, { signal }),
    enabled: isWanted,
    staleTime: staleMs,
    refetchInterval: ({ state }) =>
      typeof refetchMs === "function" ? refetchMs(state.data?.body) : refetchMs,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}

/** Another attempt helps only where the service or the way to it failed. */
export function isWorthRetry(failures: number, error: Error): boolean {
  return failures < 2 && (!(error instanceof ApiError) || error.status >= 500);
}

interface Write {
  path: string;
  method?: "POST" | "PUT" | "DELETE";
  body?: object;
  idempotencyKey: string;
}

/** A write makes everything that was read before stale. */
export function useWrite<Body = unknown>() {
  const workspace = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ path, method = "POST", body, idempotencyKey }: Write) =>
      callApi<Body>(workspace, path, { method, body, idempotencyKey }),
    onSettled: () => {
      expectRows();
      return client.invalidateQueries();
    },
  });
}

/** After it, everything that was closed before may be open. */
export function useAddPasskey(session: Session) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => addPasskey(session),
    onSuccess: () => client.invalidateQueries(),
  });
}

export function useChains(): readonly Chain[] {
  const { data } = useApi<Chain[]>("/v1/chains", { staleMs: CATALOG_STALE_MS });
  return Array.isArray(data?.body) ? data.body : [];
}

export function useChain(chainId: number | undefined): Chain | undefined {
  return useChains().find((chain) => chain.chainId === chainId);
}

/** The tokens of all networks. */
export function useTokens(isWanted: boolean): readonly ChainToken[] {
  const workspace = useWorkspace();
  const chains = useChains();
  const wanted = isWanted ? chains : [];
  return useQueries({
    queries: wanted.map(({ chainId }) => {
      const path = `/v1/chains/${chainId}/tokens`;
      return {
        queryKey: queryKey(workspace, path),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          callApi<ChainToken[]>(workspace, path, { signal }),
        staleTime: CATALOG_STALE_MS,
      };
    }),
  }).flatMap(({ data }) => data?.body ?? []);
}

/** Symbol of a currency; undefined until it is known. */
export function useSymbol(chainId: number | undefined, currency: string): string | undefined {
  const chain = useChain(chainId);
  const isToken = currency !== "native";
  const { data } = useApi<ChainToken[]>(`/v1/chains/${chainId}/tokens`, {
    staleMs: CATALOG_STALE_MS,
    isWanted: isToken && chainId !== undefined,
  });
  if (!isToken) return chain?.symbol;
  const address = currency.toLowerCase();
  return data?.body.find((token) => token.address.toLowerCase() === address)?.symbol;
}
