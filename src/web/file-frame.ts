import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { html, render } from "./html.ts";
import { texts } from "./texts/en.ts";

/**
 * The beginning and the end of a page that is a file of its own: its style is in it, it loads nothing and has no script.
 *
 * @param title without the product's name
 * @param options.pictures whether it has pictures, which are in it, too
 */
export async function fileFrame(
  title: string,
  { pictures }: { pictures: boolean },
): Promise<{ start: string; end: string }> {
  const style = await readFile(new URL("./assets/style.css", import.meta.url), "utf8");
  const digest = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${digest}'${pictures ? "; img-src data:" : ""}`;
  const start = `<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${render(html`<title>${title} – ${texts.product}</title>`)}
<style>${style}</style>
</head>
<body>
<main id="content">
`;
  return { start, end: "</main>\n</body>\n</html>\n" };
}
