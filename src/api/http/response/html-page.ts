import { createHash } from "node:crypto";
import { escaped } from "../../../domain/escaped-html.ts";

/** The mark of this service, in the colours of its pages. */
export const logo =
  '<svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M8.5 8L4.5 12l4 4M15.5 8l4 4-4 4M9 12.5l2.25 2.25L15.5 10"/></svg>';

/** The frame of pages outside of the web room: its colours and its bar. */
export const frameStyle = `
.bar { align-items: center; background: light-dark(#fff, #15181c); border-bottom: 1px solid light-dark(#dde1e6, #2a2f36); color: light-dark(#16191d, #e7eaee); display: flex; flex-wrap: wrap; font: 0.875rem/1.45 system-ui, sans-serif; gap: 0.5rem 1rem; padding: 0.5rem 1.5rem; }
.bar a { color: inherit; padding: 0.3125rem 0; text-decoration: none; }
.bar a:hover { text-decoration: underline; }
.logo { fill: none; stroke: light-dark(#fff, #10143a); stroke-width: 1.75; vertical-align: middle; }
.logo rect { fill: light-dark(#3949c6, #a4b0ff); stroke: none; }
`;

/** A page of this service for people. It loads nothing and runs no script, and no other page may frame it. */
export type HtmlPage = {
  /** Plain text, for the title and the first heading. */
  title: string;
  /** HTML, below the heading. */
  content: string;
  style: string;
};

/** The whole document. */
export function htmlDocument({ title, content, style }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – Site Validator</title>
<style>${style}</style>
</head>
<body>
<header class="bar"><span>${logo} <b>Site Validator</b></span></header>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

/** The Content-Security-Policy of a page with this style. @param formAction where its forms may be sent */
export function contentSecurityPolicy(style: string, formAction: "'none'" | "'self'"): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
