import type { Call } from "../route.ts";

interface PageQuery {
  page: number;
  limit: number;
  after?: string | undefined;
}

export const pageOf = ({ page, limit, after = "" }: PageQuery) => ({ page, limit, after });

/** The list of somebody who owns nothing of the kind. */
export const rendersNothing = (call: Pick<Call<PageQuery>, "query" | "reply">) =>
  rendersPage(call, { total: 0n, nextAfter: "" }, []);

/** The envelope of every list; what to continue after is told in a header, so that the body stays as documented. */
export const rendersPage = (
  call: Pick<Call<PageQuery>, "query" | "reply">,
  answer: { total: bigint; nextAfter: string },
  data: object[],
) => {
  if (answer.nextAfter !== "") call.reply("X-Next-After", answer.nextAfter);
  const { page, limit } = call.query;
  return { data, total: Number(answer.total), page, limit };
};
