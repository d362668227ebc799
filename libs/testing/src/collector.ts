// A receiver of spans: OTLP over HTTP with protobuf bodies, as a collector has it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

export interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentId: string;
  /** Ids of the spans that it links to. */
  links: string[];
}

export interface Collector {
  /** For a process that is to send its spans here, all of them and soon. */
  environment: Record<string, string>;
  /** The same for this process; gives its environment. */
  collectHere(): NodeJS.ProcessEnv;
  /** The bodies, as they came. */
  exports: Buffer[];
  /** Of one trace. */
  spans(traceId: string): Span[];
  stop(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const exports: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    exports.push(Buffer.concat(chunks));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: "200",
  };
  return {
    environment,
    collectHere: () => Object.assign(process.env, environment),
    exports,
    spans: (traceId) => exports.flatMap(readExport).filter((span) => span.traceId === traceId),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Fields by number, of the messages of opentelemetry/proto/trace/v1/trace.proto. */
function readMessage(bytes: Uint8Array): (number: number) => Uint8Array[] {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Uint8Array[]>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType !== WireType.LengthDelimited) reader.skip(wireType);
    else fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
  }
  return (number) => fields.get(number) ?? [];
}

const RESOURCE_SPANS = 1;
const RESOURCE = { itself: 1, scopes: 2, attributes: 1 };
const SCOPE_SPANS = 2;
const SPAN = { traceId: 1, spanId: 2, parentId: 4, name: 5, links: 13 };
const ATTRIBUTE = { key: 1, value: 2, text: 1 };

function readExport(bytes: Buffer): Span[] {
  return readMessage(bytes)(RESOURCE_SPANS).flatMap((of) => {
    const resource = readMessage(of);
    const service = findService(resource(RESOURCE.itself)[0]);
    return resource(RESOURCE.scopes).flatMap((scope) =>
      readMessage(scope)(SCOPE_SPANS).map((span) => readSpan(span, service)),
    );
  });
}

function findService(resource: Uint8Array | undefined): string {
  if (resource === undefined) return "";
  for (const attribute of readMessage(resource)(RESOURCE.attributes)) {
    const fields = readMessage(attribute);
    if (toText(fields(ATTRIBUTE.key)) !== "service.name") continue;
    const [value = new Uint8Array()] = fields(ATTRIBUTE.value);
    return toText(readMessage(value)(ATTRIBUTE.text));
  }
  return "";
}

function readSpan(bytes: Uint8Array, service: string): Span {
  const fields = readMessage(bytes);
  return {
    service,
    name: toText(fields(SPAN.name)),
    traceId: toText(fields(SPAN.traceId), "hex"),
    spanId: toText(fields(SPAN.spanId), "hex"),
    parentId: toText(fields(SPAN.parentId), "hex"),
    links: fields(SPAN.links).map((link) => toText(readMessage(link)(SPAN.spanId), "hex")),
  };
}

function toText([bytes = new Uint8Array()]: Uint8Array[], encoding: "utf8" | "hex" = "utf8") {
  return Buffer.from(bytes).toString(encoding);
}
