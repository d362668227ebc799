export const STYLE = `:root { color-scheme: light dark; --line: light-dark(#ccd, #445); --soft: light-dark(#f4f5f8, #23252c); --link: light-dark(#0b57d0, #a8c7fa) }
* { box-sizing: border-box }
body { max-width: 52rem; margin: 0 auto; padding: 1rem; font: 1rem/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText }
a { color: var(--link) }
header a { display: inline-block; min-height: 1.75rem; font-weight: 600 }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { padding: 0.75rem; background: var(--soft); border-radius: 0.5rem; white-space: pre-wrap }
h2 { margin-top: 3rem }
article { border-top: 1px solid var(--line); padding-top: 0.5rem; margin-top: 2rem; content-visibility: auto; contain-intrinsic-size: auto 60rem }
h4 { margin: 1.25rem 0 0.25rem }
.path { margin: 0 }
dl { margin: 0 }
dt { margin-top: 0.5rem }
dt span { opacity: 0.85 }
dd { margin: 0 0 0 1rem }
.contents, .codes { padding-left: 1rem }
.contents ul { padding-left: 1rem }
.contents li, .codes li { list-style: none }
.contents a, .codes a, summary { display: inline-block; min-height: 1.75rem }
summary { display: list-item }
summary { cursor: pointer }
`;
