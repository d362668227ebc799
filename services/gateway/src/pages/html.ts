const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text: unknown): string {
  return `${text}`.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);
}
