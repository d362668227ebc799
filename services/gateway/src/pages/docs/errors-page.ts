// A section for every error code.
import { FAILURES, Failure, type FailureCode, isRetryable, toRestError } from "@pay/failures";
import { CAUSES } from "../../api/openapi/causes.ts";
import { escapeHtml, type Page } from "./reference.ts";

export function renderErrors(): Page {
  const codes = (Object.keys(FAILURES) as FailureCode[]).filter((code) => CAUSES[code]);
  const sections = codes.map((code) => {
    const failure = new Failure(code, "");
    const { statusCode, error } = toRestError(failure);
    const again = isRetryable(code)
      ? "A retry of the same request may succeed."
      : "A retry of the same request fails again.";
    const cause = escapeHtml(CAUSES[code]).replace(/`([^`]+)`/g, "<code>$1</code>");
    return `<article id="${code}"><h2><code>${code}</code></h2>
<p>${statusCode} ${error}: ${cause}. ${again}</p></article>`;
  });
  return {
    title: "Errors",
    body: `<p>Every error has the body <code>{statusCode, message, error}</code> and its error code in the header
<code>X-Error-Code</code>. Clients handle an unknown code by its status.</p>${sections.join("")}`,
  };
}
