/**
 * The named controls of a form hide its members, in every world of the page: `form.childNodes` is the control of that name.
 * axe-core reads members as any script does, so that a page could hide what is in a form from it. Here its source gets
 * other names for these members, which no element can have (docs/adr/0127).
 */

/**
 * The members that axe-core reads of forms, and a control can hide: those that they have, and, last, those that only other
 * elements or axe-core's own objects have. What it reads of other things alone is not here, such as `length` of lists.
 */
export const hidable = [
  ..."offsetWidth offsetHeight innerText onfocus style namespaceURI localName tagName id classList attributes".split(
    " ",
  ),
  ..."shadowRoot assignedSlot innerHTML outerHTML scrollTop scrollLeft scrollWidth scrollHeight clientWidth".split(" "),
  ..."clientHeight children closest getAttribute getBoundingClientRect getClientRects hasAttribute".split(" "),
  ..."getElementsByTagName hasAttributes matches querySelector querySelectorAll setAttribute nodeType nodeName".split(
    " ",
  ),
  ..."baseURI isConnected ownerDocument parentNode parentElement childNodes firstChild previousSibling".split(" "),
  ..."nextSibling nodeValue textContent appendChild cloneNode compareDocumentPosition contains getRootNode".split(" "),
  ..."removeChild addEventListener removeEventListener".split(" "),
  ..."actualNode checked documentElement href indeterminate multiple selected value".split(" "),
] as const;

/** Runs in the page before axe-core, in the same function. */
const READ = `const $read = (object, name) =>
  object instanceof HTMLFormElement ? Reflect.get(HTMLFormElement.prototype, name, object) : object[name];`;

/**
 * Defines what `[$name]` is: the member `name` of the prototypes for elements and documents, and that of the object itself
 * for any other object. Native members are taken as they are, because a function around them takes time.
 */
const DEFINE = `
  for (const [name, symbol] of Object.entries($symbols)) {
    Object.defineProperty(Object.prototype, symbol, {
      get() { return this[name]; },
      set(value) { this[name] = value; },
    });
    for (const { prototype } of [EventTarget, Node, Element, HTMLElement, Document, DocumentFragment, ShadowRoot]) {
      const member = Object.getOwnPropertyDescriptor(prototype, name);
      if (member) Object.defineProperty(prototype, symbol, member);
    }
    if (!(name in HTMLFormElement.prototype)) Object.defineProperty(HTMLFormElement.prototype, symbol, { value: undefined });
  }`;

/** Not in its messages, which have places for data such as `${data.nodeName}`, and name a function of its own. */
const MEMBER = new RegExp(`(?<!\\$\\{data|\\baxe\\.utils)\\.(${hidable.join("|")})(?![\\w$])`, "g");

/** axe-core's source as a script that reads elements as they are, whatever names a page gives to controls of its forms. */
export function withoutClobbering(source: string): string {
  const read = source.replace(/\b(\w+)\.actualNode\[(\w+)\]/g, "$read($1.actualNode,$2)").replace(MEMBER, "[$_$1]");
  const symbols = hidable.map((name) => `${name}: $_${name}`).join(", ");
  const constants = hidable.map((name) => `$_${name} = Symbol()`).join(", ");
  return `{ const ${constants}; const $symbols = { ${symbols} }; ${READ} ${DEFINE}\n${read}\n}`;
}
