import type { Call } from "../pipeline/route.ts";

interface PageQuery {
  page: number;
  limit: number;
  after?: string | undefined;
}

export function getPage({ page, limit, after = "" }: PageQuery) {
  return { page, limit, after };
}

/** An empty list, for a shopper who owns nothing of the kind. */
export function renderEmptyPage(call: Pick<Call<PageQuery>, "query" | "reply">) {
  return renderPage(call, { total: 0n, nextAfter: "" }, []);
}

/** The envelope of every list; a header names what to continue after, so that the body stays as documented. */
export function renderPage(
  call: Pick<Call<PageQuery>, "query" | "reply">,
  answer: { total: bigint; nextAfter: string },
  data: object[],
) {
  if (answer.nextAfter !== "") call.reply("X-Next-After", answer.nextAfter);
  const { page, limit } = call.query;
  return { data, total: Number(answer.total), page, limit };
}
