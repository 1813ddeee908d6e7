import { type ConfigData, HtmlElement, MetaTable, type Plugin, StaticConfigLoader } from "html-validate";

/**
 * Patches that keep html-validate from repeating the same work, and from failing on elements and attributes that are
 * named like members of objects. They change no other findings: a test compares them. The version of html-validate is
 * pinned.
 */

/** A loader that resolves the configuration once. html-validate's own resolves it for each page, which takes a third of the time. */
export function cachedConfigLoader(config: ConfigData): StaticConfigLoader {
  const loader = new StaticConfigLoader(config);
  const resolved = loader.getConfigFor("page.html");
  loader.getConfigFor = () => resolved;
  return loader;
}

/** The elements by id of each completely parsed document. */
const indexes = new WeakMap<HtmlElement, Map<string, HtmlElement[]>>();

/** A plugin for the configuration. Without it every label and every reference walks the whole document to find an id. */
export const idIndex: Plugin = {
  name: "id-index",
  setup(_source, events) {
    events.on("dom:ready", (_event, { document }) => indexes.set(document.root, indexIds(document.root)));
  },
};

/** Call it once per process. */
export function patchHtmlValidate(): void {
  const { prototype } = HtmlElement;
  // html-validate walks the document to build a selector for every message, which is never used here.
  prototype.generateSelector = () => null;
  const { querySelector, querySelectorAll, setAttribute } = prototype;
  prototype.setAttribute = function (this: HtmlElement, ...given) {
    if (isMember(given[0])) Object.setPrototypeOf(Reflect.get(this, "attr"), null);
    setAttribute.apply(this, given);
  };
  const { getMetaFor } = MetaTable.prototype;
  MetaTable.prototype.getMetaFor = function (this: MetaTable, tagName) {
    return isMember(tagName) ? null : getMetaFor.call(this, tagName);
  };
  prototype.querySelector = function (this: HtmlElement, selector) {
    const found = lookUp(this, selector);
    return found ? (found[0] ?? null) : querySelector.call(this, selector);
  };
  prototype.querySelectorAll = function (this: HtmlElement, selector) {
    const found = lookUp(this, selector);
    return found ? [...found] : querySelectorAll.call(this, selector);
  };
}

/** html-validate looks names up in plain objects, and would take their members for lists of attributes and for elements. */
function isMember(name: string): boolean {
  return name.toLowerCase() in Object.prototype;
}

/** @returns undefined unless the selector is a single id and the document is indexed */
function lookUp(root: HtmlElement, selector: string): readonly HtmlElement[] | undefined {
  const index = indexes.get(root);
  // Hexadecimal escapes (\9, \a, \d) are not supported here.
  if (!index || !/^#(?:[\w-]|\\[^\w\s])+$/.test(selector)) return undefined;
  return index.get(selector.slice(1).replaceAll(/\\(.)/g, "$1")) ?? [];
}

function indexIds(root: HtmlElement): Map<string, HtmlElement[]> {
  const index = new Map<string, HtmlElement[]>();
  // In document order, and without recursion: a page may nest deeper than the stack allows.
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
