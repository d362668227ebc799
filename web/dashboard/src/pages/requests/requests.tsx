import { createLazyRoute, Link } from "@tanstack/react-router";
import { useApi } from "../../api/queries.ts";
import type { RequestLogItem } from "../../api/records.ts";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeRequest } from "../../status-words.ts";
import { getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Search, VIEWS } from "./filters.ts";
import { nameActor, RequestPanel } from "./panel.tsx";

/** The address has the request's own id too, by which it is found when it is not on this page of the list. */
function formatOpen({ id, requestId }: RequestLogItem): string {
  return `${id}.${requestId}`;
}

function useOpen(listed: readonly RequestLogItem[] | undefined, open: string | undefined) {
  const [id = "", ...rest] = open?.split(".") ?? [];
  const shown = listed?.find((request) => request.id === id);
  const query = new URLSearchParams({ requestId: rest.join(".") });
  const { data } = useApi<{ data: RequestLogItem[] }>(`/v1/request-logs?${query}`, {
    isWanted: listed !== undefined && shown === undefined && rest.length > 0,
  });
  return shown ?? data?.body.data.find((request) => request.id === id);
}

function Row({ request, isOpen }: { request: RequestLogItem; isOpen: boolean }) {
  const { method, path, actor, errorCode, durationMs, createdAt } = request;
  return (
    <tr onClick={openRow} aria-selected={isOpen}>
      <td className="grow mono">
        <Link
          className="plainlink"
          to="/requests"
          search={(before: object) => ({ ...before, open: formatOpen(request) })}
          resetScroll={false}
        >
          {method} {path}
        </Link>
      </td>
      <td className="r">
        <Status words={describeRequest(request)} />
      </td>
      <td className="sub mono">{errorCode}</td>
      <td className="wide">{nameActor(actor)}</td>
      <td className="wide right faint">{durationMs} ms</td>
      <td className="when r right">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function Requests({ search: { open, ...filters } }: { search: Search }) {
  const path = buildPath("/v1/request-logs", filters);
  const { data } = useApi<{ data: RequestLogItem[] }>(path, { keepsPrevious: true });
  const shown = useOpen(data?.body.data, open);
  return (
    <ListPage<RequestLogItem>
      title="Requests"
      icon="requests"
      noun={["request", "requests"]}
      path={path}
      values={filters}
      controls={CONTROLS}
      first={FIRST}
      views={VIEWS}
      columns={[
        { name: "Request" },
        { name: "Status" },
        { name: "Error code" },
        { name: "Who", isWide: true },
        { name: "Took", isWide: true, isRight: true },
        { name: `Made, ${getZoneName()}`, isRight: true },
      ]}
      renderRow={(request) => (
        <Row key={request.id} request={request} isOpen={request.id === shown?.id} />
      )}
      noMatch="Requests are kept for 7 days, and of those that only read, the failed ones."
      empty={{
        title: "Nothing was asked yet",
        text: "Each write and each request that failed is kept here for 7 days.",
      }}
      panel={shown !== undefined && <RequestPanel request={shown} />}
    />
  );
}

export const Route = createLazyRoute("/requests")({
  component: function RequestsPage() {
    return <Requests search={Route.useSearch()} />;
  },
});
