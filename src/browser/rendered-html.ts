/** What a page of more elements shows is not read for a sign-in: it is no small page. */
export const MAX_RENDERED_ELEMENTS = 5_000;
/** What a page of more elements or characters needs is read in its source. */
export const MAX_READ_ELEMENTS = 200_000;
export const MAX_READ_LENGTH = 10_000_000;

/**
 * The document as it is now, with its shadow roots, as HTML; "" for one with more elements. Runs in our world of the page,
 * so it must not use anything outside itself. Named elements hide members of the DOM in every world, so members are read
 * through the prototypes.
 *
 * @param maxLength it is cut to this many characters
 */
export function renderedHtml(maxElements: number, maxLength: number): string {
  const root = Reflect.get(Document.prototype, "documentElement", document) as Element | null;
  if (root === null) return "";
  const shadowRoots: ShadowRoot[] = [];
  const within: ParentNode[] = [document];
  let elements = 0;
  for (let parent = within.pop(); parent; parent = within.pop()) {
    const { querySelectorAll } = parent === document ? Document.prototype : DocumentFragment.prototype;
    const all = querySelectorAll.call(parent, "*");
    elements += all.length;
    if (elements > maxElements) return "";
    for (const element of all) {
      const shadow = Reflect.get(Element.prototype, "shadowRoot", element) as ShadowRoot | null;
      if (!shadow) continue;
      shadowRoots.push(shadow);
      within.push(shadow);
    }
  }
  return Element.prototype.getHTML.call(root, { shadowRoots }).slice(0, maxLength);
}
