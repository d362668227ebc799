// The first page: a person who opens the product's address finds every other page from here.
import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import helmet from "helmet";

const secured = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["data:"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // Set for every answer already, where it applies.
  strictTransportSecurity: false,
});

const STYLE = `:root { color-scheme: light dark }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText }
a { color: light-dark(#0b57d0, #a8c7fa) }
dt { margin-top: 1rem; font-weight: 600 }
dd { margin: 0 }
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Payment service</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/home.css">
  </head>
  <body>
    <main>
      <h1>Payment service</h1>
      <p>Accepts payments on EVM chains. The money goes directly to the merchant's wallet; this service verifies its arrival.</p>
      <dl>
        <dt><a href="/docs">API reference</a></dt>
        <dd>Every request and response of /v1, with examples.</dd>
        <dt><a href="/docs/errors">Error codes</a></dt>
        <dd>The cause of each error code, and whether to retry.</dd>
        <dt><a href="/v1/openapi.json">OpenAPI document</a></dt>
        <dd>OpenAPI 3.1, for client generators.</dd>
        <dt>Checkout page</dt>
        <dd>Create a payment with <code>?expand=checkoutUrl</code> and open the link in the response: the customer pays there.</dd>
      </dl>
    </main>
  </body>
</html>
`;

const FILES = [
  { path: "/", type: "text/html; charset=utf-8", content: PAGE },
  { path: "/home.css", type: "text/css; charset=utf-8", content: STYLE },
];

export function mountHome(app: Express): void {
  for (const { path, type, content } of FILES) {
    app.get(path, secured, (_request: Request, response: Response) => {
      response.locals.route = "/";
      response.setHeader("Content-Type", type);
      response.end(content);
    });
    app.all(path, (_request: Request, response: Response) => {
      response.setHeader("Allow", "GET, HEAD");
      throw new Failure("method_not_allowed", "Method not allowed");
    });
  }
}
