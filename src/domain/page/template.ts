import { variantOf } from "../addresses/page-variant.ts";
import { digest } from "../identity/digest.ts";
import { scanTags, type Tag } from "./scan-tags.ts";

/** Pages of a template on which acting is done. */
export const ACTED_PAGES = 3;

/** What a page is divided into. Lists, tables and texts differ from page to page. */
const containers = new Set([
  ...["div", "section", "article", "main", "nav", "header", "footer", "aside", "form", "dialog", "fieldset", "details"],
]);
const landmarks = new Set(["main", "nav", "header", "footer", "aside", "article", "form", "dialog"]);
/** What is used, embedded, or moves. */
const controls = new Set([
  ...["input", "select", "textarea", "button", "summary", "details", "video", "audio", "iframe", "frame", "canvas"],
  ...["object", "embed", "marquee"],
]);
const ATTRIBUTES = [
  "class",
  "role",
  "type",
  "tabindex",
  "onclick",
  "onkeydown",
  "onfocus",
  "onblur",
  "src",
  "href",
  "rel",
];
/** How deep the topmost parts are looked for: a page may be in a wrapper of a wrapper. */
const MAX_DEPTH = 8;
const MAX_KINDS = 2_000;
const MAX_KIND_LENGTH = 300;

/**
 * Names the template of a page: equal for pages that are made of the same parts, whatever is written in them. That is the
 * topmost parts, the landmarks, the controls and custom elements with their classes, the scripts and the style sheets,
 * each kind once, in any number and order.
 *
 * @param html as received or as rendered
 */
export function templateOf(html: string): string {
  const kinds = new Set<string>();
  /** The kinds of the parts at each depth, and how many parts there are. */
  const levels = Array.from({ length: MAX_DEPTH }, () => ({ kinds: new Set<string>(), parts: 0 }));
  let depth = 0;
  const add = (set: Set<string>, kind: string): void => {
    if (set.size < MAX_KINDS) set.add(kind);
  };
  scanTags(
    html,
    { read: () => ATTRIBUTES, xml: false },
    (tag) => {
      const name = nameOf(tag, html);
      const kind = kindOf(name, tag);
      if (isUsed(name, tag)) add(kinds, kind);
      if (!containers.has(name)) return;
      const level = levels[depth];
      depth += 1;
      if (!level) return;
      level.parts += 1;
      add(level.kinds, kind);
    },
    (name) => {
      if (containers.has(name)) depth = Math.max(0, depth - 1);
    },
  );
  // A wrapper around everything is on every page.
  const topmost = levels.find(({ parts }) => parts > 1) ?? levels[0];
  return digest([...kinds, "", ...(topmost?.kinds ?? [])].toSorted());
}

/**
 * The template of a page in a state or on a further device: what is shown there is not on the page itself.
 *
 * @param url of the variant (page-variant.ts)
 */
export function templateOfVariant(template: string, url: string): string {
  const { device = "", state = "" } = variantOf(url);
  return digest([template, device, state]);
}

/** The tag's name is left out where it is long, as those of custom elements are. */
function nameOf({ name, start }: Tag, html: string): string {
  return name || (/^[^\s/>]+/.exec(html.slice(start + 1, start + 100))?.[0].toLowerCase() ?? "");
}

function isUsed(name: string, { given }: Tag): boolean {
  if (name === "script") return given.src !== undefined;
  if (name === "link") return /\bstylesheet\b/i.test(given.rel ?? "");
  const { role, tabindex, onclick, onkeydown, onfocus, onblur } = given;
  const hasHandler = [role, tabindex, onclick, onkeydown, onfocus, onblur].some((value) => value !== undefined);
  return landmarks.has(name) || controls.has(name) || name.includes("-") || hasHandler;
}

/** Numbers are those of a post, a version or a column. */
function kindOf(name: string, { given }: Tag): string {
  const classes = (given.class ?? "").trim().split(/\s+/).toSorted().join(".");
  const address = name === "script" ? given.src : name === "link" ? given.href : undefined;
  const file = address?.replace(/[?#].*$/s, "").replace(/^.*\//s, "");
  const kind = [name, classes, given.role ?? "", given.type ?? "", file ?? ""].join(" ");
  return kind.slice(0, MAX_KIND_LENGTH).replace(/\d+/g, "0");
}
