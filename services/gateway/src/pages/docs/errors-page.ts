// A section for every code, so that the link in a refusal leads to what it means.
import { FAILURES, Failure, type FailureCode, isRetryable, toRestError } from "@pay/failures";
import { CAUSES } from "../../api/openapi/causes.ts";
import { escapeHtml, type Page } from "./reference.ts";

export function renderErrors(): Page {
  const codes = (Object.keys(FAILURES) as FailureCode[]).filter((code) => CAUSES[code]);
  const sections = codes.map((code) => {
    const failure = new Failure(code, "");
    const { statusCode, error } = toRestError(failure);
    const again = isRetryable(code)
      ? "The same request may succeed a moment later."
      : "The same request gives the same refusal.";
    const cause = escapeHtml(CAUSES[code]).replace(/`([^`]+)`/g, "<code>$1</code>");
    return `<article id="${code}"><h2><code>${code}</code></h2>
<p>${statusCode} ${error}: ${cause}. ${again}</p></article>`;
  });
  return {
    title: "Errors",
    body: `<p>Every refusal has the body <code>{statusCode, message, error}</code> and names its cause in the header
<code>X-Error-Code</code>. A client treats a code that it does not know by its status.</p>${sections.join("")}`,
  };
}
