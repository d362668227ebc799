import { Metadata, type ServerUnaryCall } from "@grpc/grpc-js";

/** The metadata of a call. */
export interface CallContext {
  /** Names the merchant's request in every log line and event it causes. */
  requestId: string;
  projectId: string;
  /** When the caller stops waiting; calls made on its behalf inherit what is left. */
  deadline: Date;
}

const REQUEST_ID = "x-request-id";
const PROJECT_ID = "x-project-id";

export function toMetadata(context: Partial<CallContext>): Metadata {
  const metadata = new Metadata();
  if (context.requestId) metadata.set(REQUEST_ID, context.requestId);
  if (context.projectId) metadata.set(PROJECT_ID, context.projectId);
  return metadata;
}

export function readContext(call: ServerUnaryCall<unknown, unknown>): CallContext {
  function text(key: string) {
    return call.metadata.get(key)[0]?.toString() ?? "";
  }

  return {
    requestId: text(REQUEST_ID),
    projectId: text(PROJECT_ID),
    deadline: new Date(call.getDeadline() as Date | number),
  };
}
