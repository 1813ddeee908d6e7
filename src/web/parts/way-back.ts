import { localPath } from "../local-path.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { reportPath } from "./report.ts";

const names: Readonly<Record<string, string>> = { ...texts.report.tabs, causes: texts.causes.title };

/** What a link from a list keeps, so that the page that it leads to leads back: the list's address, if it is filtered. */
export function wayBack({ path, query }: Pick<PageContext, "path" | "query">): { from: string | undefined } {
  const kept = new URLSearchParams([...query].filter(([name]) => name !== "done" && name !== "from"));
  return { from: kept.size > 0 ? `${path}?${kept}` : undefined };
}

/** The list of the same report from which a link led to a page, as it was; undefined without one. */
export function listBefore(context: PageContext): { text: string; to: string } | undefined {
  const from = localPath(context.query.get("from"));
  const root = `${reportPath(context)}/`;
  if (!from?.startsWith(root)) return undefined;
  const [path = "", search] = from.split("?", 2);
  const text = names[path.slice(root.length)];
  return text === undefined
    ? undefined
    : { text, to: context.href(path, Object.fromEntries(new URLSearchParams(search))) };
}
