// The documentation as a page: Swagger UI from our own address, no inline script, nothing from other hosts.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface Asset {
  path: string;
  type: string;
  content: string | Buffer;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Payment service: interface</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <noscript>The same as a document: <a href="/v1/openapi.json">/v1/openapi.json</a></noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `window.SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
});
`;

const SCRIPT = "text/javascript; charset=utf-8";
const FROM_PACKAGE = [
  { file: "swagger-ui.css", type: "text/css; charset=utf-8" },
  { file: "swagger-ui-bundle.js", type: SCRIPT },
];

/** Read once, at the start. */
export function readAssets(): Asset[] {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve("swagger-ui-dist/package.json"));
  return [
    { path: "/docs", type: "text/html; charset=utf-8", content: PAGE },
    { path: "/docs/start.js", type: SCRIPT, content: START },
    ...FROM_PACKAGE.map(({ file, type }) => ({
      path: `/docs/${file}`,
      type,
      content: readFileSync(join(folder, file)),
    })),
  ];
}
