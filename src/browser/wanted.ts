/** What has to be there before a page is read. */
export type Wanted = { selector?: string | undefined; text?: string | undefined };

/** Runs in the page, in our world. @returns what is not there, in words */
export function missingOf({ selector, text }: Wanted): string | undefined {
  const isVisible = (element: Element): boolean => {
    const box = Element.prototype.getBoundingClientRect.call(element);
    return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility === "visible";
  };
  if (selector !== undefined) {
    let found: NodeListOf<Element>;
    try {
      found = Document.prototype.querySelectorAll.call(document, selector);
    } catch {
      return `${JSON.stringify(selector)} is not a CSS selector`;
    }
    if (!Array.prototype.some.call(found, isVisible)) return `no element ${JSON.stringify(selector)} was visible`;
  }
  if (text !== undefined) {
    const body = Reflect.get(Document.prototype, "body", document) as HTMLElement | null;
    const shown = body ? (Reflect.get(HTMLElement.prototype, "innerText", body) as string) : "";
    if (!shown.includes(text)) return `the text ${JSON.stringify(text)} was not shown`;
  }
  return undefined;
}

/** Runs in the page, in our world. @returns those that are no CSS selectors */
export function wrongSelectors(selectors: readonly string[]): string[] {
  return selectors.filter((selector) => {
    try {
      Document.prototype.querySelector.call(document, selector);
      return false;
    } catch {
      return true;
    }
  });
}
