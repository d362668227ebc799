export { buildEnvironment, type Child, startChild } from "./children.ts";
export { openDataFolder } from "./data-folder.ts";
export type { Credentials, DemoCredentials, NewProject } from "./demo-project.ts";
export { createProjectByCommand } from "./operator.ts";
export type { Environment, Parts } from "./parts.ts";
export { type Product, startProduct } from "./product.ts";
export { getSchema, SERVICE_NAMES, type ServiceName } from "./service-names.ts";
