import { Metadata, type ServerUnaryCall } from "@grpc/grpc-js";
import { splitTrace, withTrace } from "@pay/process";

/** The metadata of a call. */
export interface CallContext {
  /** Names the merchant's request in every log line and event it causes; with its trace. */
  requestId: string;
  projectId: string;
  /** When the caller stops waiting; calls made on its behalf inherit what is left. */
  deadline: Date;
}

const REQUEST_ID = "x-request-id";
const PROJECT_ID = "x-project-id";
const TRACEPARENT = "traceparent";

export function toMetadata(context: Partial<CallContext>): Metadata {
  const metadata = new Metadata();
  const { requestId, traceparent } = splitTrace(context.requestId ?? "");
  if (requestId) metadata.set(REQUEST_ID, requestId);
  if (traceparent) metadata.set(TRACEPARENT, traceparent);
  if (context.projectId) metadata.set(PROJECT_ID, context.projectId);
  return metadata;
}

export function readContext(call: ServerUnaryCall<unknown, unknown>): CallContext {
  function text(key: string) {
    return call.metadata.get(key)[0]?.toString() ?? "";
  }

  return {
    requestId: withTrace(text(REQUEST_ID), text(TRACEPARENT)),
    projectId: text(PROJECT_ID),
    deadline: new Date(call.getDeadline() as Date | number),
  };
}
