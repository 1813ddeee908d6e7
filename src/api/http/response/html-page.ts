import { createHash } from "node:crypto";

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

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as the content of an element or as the value of an attribute in quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
