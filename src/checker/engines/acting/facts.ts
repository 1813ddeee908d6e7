import { factLimits, linkDigest, type PageFacts } from "../../../domain/acting/page-facts.ts";
import { digest } from "../../../domain/identity/digest.ts";
import type { Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** Characters of the main text by which two pages are told apart. */
const MAX_TEXT_LENGTH = 5_000;
/** Links of a page that are read. */
const MAX_LINKS = 2_000;

/** Reads what the page is compared by with others, when the whole site is checked. */
export async function readFactsOf({ tab, places, limit }: Walker): Promise<PageFacts> {
  const main = await limit.command(places.main());
  const limits = { ...factLimits, read: MAX_LINKS, main: MAX_TEXT_LENGTH };
  const { text, links, isCut, ...facts } = await limit.command(tab.call(main.world, readInPage, limits));
  if (isCut) limit.cut(`more than ${MAX_LINKS} links`);
  return { ...facts, text: digest([text]), links: [...new Set(links.map(linkDigest))] };
}

/** Runs in the page; `text` and `links` are not digested yet. */
function readInPage(limits: typeof factLimits & { read: number; main: number }): PageFacts & { isCut: boolean } {
  const { nameOf, parentOf, attribute, isVisible } = (globalThis as unknown as ToolsWorld).svTools;
  const all = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const textOf = (element: Element | undefined): string =>
    element
      ? String(Reflect.get(Node.prototype, "textContent", element))
          .replace(/\s+/g, " ")
          .trim()
      : "";
  const base = Reflect.get(Node.prototype, "baseURI", document) as string;
  const pathOf = (link: Element): string | undefined => {
    // Within the page, as a skip link leads, or nowhere.
    if (/^(?:#|$)/.test(attribute(link, "href").trim())) return undefined;
    const url = URL.parse(attribute(link, "href"), base);
    if (url?.hash && url.href.split("#")[0] === location.href.split("#")[0]) return undefined;
    return url?.origin === location.origin ? `${url.pathname}${url.search}` : undefined;
  };
  const placeOf = (element: Element): PageFacts["placed"][number]["place"] | undefined => {
    let at = parentOf(element);
    for (let up = 0; at && up < 30; up += 1, at = parentOf(at)) {
      const [name, role] = [nameOf(at), attribute(at, "role")];
      if (name === "nav" || role === "navigation") return "navigation";
      if (name === "footer" || role === "contentinfo") return "footer";
      if (name === "header" || role === "banner") return "header";
      // A header or footer of its own, as each article of a list may have.
      if (/^(?:article|main|section|aside|dialog)$/.test(name)) return undefined;
    }
    return undefined;
  };
  const anchors = all("a[href]");
  const links = anchors.slice(0, limits.read).flatMap((link) => {
    const path = pathOf(link);
    return path === undefined || path.length > limits.target ? [] : [{ link, path }];
  });
  const placed = links.flatMap(({ link, path }) => {
    const place = placeOf(link);
    if (place === undefined || !isVisible(link)) return [];
    const image = Element.prototype.querySelector.call(link, "img[alt]");
    const name = attribute(link, "aria-label") || textOf(link) || (image ? attribute(image, "alt") : "");
    return [{ place, name: name.trim().slice(0, limits.text), target: path }];
  });
  return {
    title: textOf(all("head > title")[0]).slice(0, limits.text),
    heading: textOf(all("h1").find(isVisible)).slice(0, limits.text),
    text: textOf(all("main,[role=main]")[0] ?? all("body")[0]).slice(0, limits.main),
    placed: placed.slice(0, limits.placed),
    hasSearch: all("[role=search],search,input[type=search],form[action*=search i],input[name=q]").length > 0,
    links: [...new Set(links.map(({ path }) => path))].slice(0, limits.links),
    isCut: anchors.length > limits.read,
  };
}
