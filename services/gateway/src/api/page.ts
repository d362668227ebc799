import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Call } from "../pipeline/route.ts";

interface PageQuery {
  page: number;
  limit: number;
  after?: string | undefined;
}

export function getPage({ page, limit, after = "" }: PageQuery) {
  return { page, limit, after };
}

interface Period {
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

/** As the services take it. */
export function toPeriod({ createdFrom, createdTo }: Period) {
  return {
    createdFrom: createdFrom && timestampFromDate(createdFrom),
    createdTo: createdTo && timestampFromDate(createdTo),
  };
}

type PageCall = Pick<Call<PageQuery>, "query" | "queryText" | "reply">;

/** An empty list, for a shopper who owns nothing of the kind. */
export function renderEmptyPage(call: PageCall) {
  return renderPage(call, { total: 0n, nextAfter: "" }, []);
}

/** The envelope of every list; headers say how to continue, so that the body stays as documented. */
export function renderPage(
  call: PageCall,
  answer: { total: bigint; nextAfter: string },
  data: object[],
) {
  replyNext(call, answer.nextAfter);
  const { page, limit } = call.query;
  return { data, total: Number(answer.total), page, limit };
}

/** Where the list continues; an empty text is its end. */
export function replyNext(call: Pick<Call, "queryText" | "reply">, nextAfter: string): void {
  if (nextAfter === "") return;
  call.reply("X-Next-After", nextAfter);
  call.reply("Link", `<?${buildNextQuery(call, nextAfter)}>; rel="next"`);
}

/** Of RFC 8288; an address that is a query alone keeps the path. */
function buildNextQuery({ queryText }: Pick<Call, "queryText">, after: string): string {
  const query = new URLSearchParams(queryText);
  query.delete("page");
  query.set("after", after);
  return query.toString();
}
