import type { One } from "../api/documents.ts";
import { fileFrame } from "./file-frame.ts";
import { html, render } from "./html.ts";
import type { PageContext } from "./page.ts";
import { monthView } from "./pages/month.ts";

/**
 * A month as one HTML file, of the same parts as its page: it loads nothing and has no script.
 *
 * @param options.base where the service is, for links
 */
export async function monthFile(
  document: One<"month_report">,
  { now, base }: { now: Date; base: string },
): Promise<string> {
  const context: PageContext = {
    api: { get: notRead, file: notRead, post: notRead, patch: notRead, delete: notRead },
    params: { month: document.data.id },
    query: new URLSearchParams(),
    reader: null,
    home: false,
    guides: notRead,
    href: (path, query = {}) => {
      const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
      return `${base}${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
    },
    path: `/months/${document.data.id}`,
    now,
  };
  const { title, heading, content } = monthView(context, document, null);
  const { start, end } = await fileFrame(title, { pictures: false });
  return `${start}${render(html`<h1>${heading}</h1> ${content}`)}\n${end}`;
}

function notRead(): never {
  throw new Error("The file of a month is made of one document, which was read.");
}
