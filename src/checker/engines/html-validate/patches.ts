import { type ConfigData, HtmlElement, type Plugin, StaticConfigLoader } from "html-validate";

/**
 * Where html-validate does the same work over and over. Nothing here changes what it
 * finds; a test compares. Its version is pinned.
 */

/** A loader that resolves the configuration once; html-validate's own does it for each page, a third of the time. */
export function resolvedOnce(config: ConfigData): StaticConfigLoader {
  const loader = new StaticConfigLoader(config);
  const resolved = loader.getConfigFor("page.html");
  loader.getConfigFor = () => resolved;
  return loader;
}

/** The elements by id of the documents that are parsed to their end. */
const indexes = new WeakMap<HtmlElement, Map<string, HtmlElement[]>>();

/** For the configuration: looking up an id walks the whole document, for every label and every reference. */
export const idIndex: Plugin = {
  name: "id-index",
  setup(_source, events) {
    events.on("dom:ready", (_event, { document }) => indexes.set(document.root, indexIds(document.root)));
  },
};

/** To be called once in a process. */
export function patchHtmlValidate(): void {
  const { prototype } = HtmlElement;
  // A selector is made for every message, by walks through the document; nobody reads it.
  prototype.generateSelector = () => null;
  const { querySelector, querySelectorAll } = prototype;
  prototype.querySelector = function (this: HtmlElement, selector) {
    const found = lookUp(this, selector);
    return found ? (found[0] ?? null) : querySelector.call(this, selector);
  };
  prototype.querySelectorAll = function (this: HtmlElement, selector) {
    const found = lookUp(this, selector);
    return found ? [...found] : querySelectorAll.call(this, selector);
  };
}

/** @returns undefined for whatever is not the simple case */
function lookUp(root: HtmlElement, selector: string): readonly HtmlElement[] | undefined {
  const index = indexes.get(root);
  // Codepoints (\9, \a, \d) are escaped in another way.
  if (!index || !/^#(?:[\w-]|\\[^\w\s])+$/.test(selector)) return undefined;
  return index.get(selector.slice(1).replaceAll(/\\(.)/g, "$1")) ?? [];
}

function indexIds(root: HtmlElement): Map<string, HtmlElement[]> {
  const index = new Map<string, HtmlElement[]>();
  // In the order of the document, and without recursion: pages nest deeper than the stack.
  const open = [...root.childElements].reverse();
  for (let element = open.pop(); element; element = open.pop()) {
    const { id } = element;
    if (id !== null) {
      const same = index.get(id);
      if (same) same.push(element);
      else index.set(id, [element]);
    }
    for (let i = element.childElements.length - 1; i >= 0; i--) {
      const child = element.childElements[i];
      if (child) open.push(child);
    }
  }
  return index;
}
