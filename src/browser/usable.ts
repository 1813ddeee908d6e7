/**
 * Functions that run inside pages, for steps. Each is sent as its source text, so it must not use anything outside itself
 * except types.
 */

/** What a step does with an element. */
export type Use = "press" | "fill" | "point" | "see";

/** How an element can be used. */
export type Look = {
  /** The element for people, such as `<button id="go"> "Go"`. */
  name: string;
  /** Why it cannot be used, such as "is not visible"; "" if it can. */
  fault: string;
  /** Whether it could not be used later, either, as far as can be seen: it is a twin for other windows. */
  isHidden: boolean;
  /** Whether somebody would take it for what can be pressed, or filled in. */
  isControl: boolean;
  /** Whether its whole text is the one that was looked for. */
  isExact: boolean;
  /** Whether it belongs to the form in which something was filled in last. */
  isNear: boolean;
  /** Whether nobody sees it, although it can be used, as fields are that lie over a picture of theirs. */
  isClear: boolean;
  /** Where it can be used, in the window of its document. */
  at: { x: number; y: number };
};

/**
 * Looks at elements as somebody who is about to use them: brings each into view, and sees whether it is visible, enabled,
 * not covered and not moving.
 *
 * @param text the text that was looked for, if any
 * @param offset where to press, from the corner of the first box, if that is known
 */
export async function lookAt(
  use: Use,
  text: string | null,
  offset: { x: number; y: number } | null,
  ...nodes: Node[]
): Promise<Look[]> {
  // A name in the accessibility tree may be that of the document, by its title, or of a text.
  const elements = nodes.map((node) =>
    node.nodeType === Node.ELEMENT_NODE ? (node as Element) : (node.parentElement ?? document.documentElement),
  );
  const fields = "input:not([type=hidden]),select,textarea,[contenteditable]:not([contenteditable=false])";
  const chosen = ["color", "date", "datetime-local", "month", "range", "time", "week"]
    .map((type) => `input[type=${type}]`)
    .concat("select")
    .join();
  const roles = [
    "button",
    "link",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "tab",
    "checkbox",
    "radio",
  ];
  const pressed = ["switch", "combobox", "textbox", "searchbox", "slider", "spinbutton", "treeitem", "gridcell"];
  const controls = `a[href],area[href],button,summary,label,option,video[controls],audio[controls],${fields},[onclick],[tabindex],${[...roles, ...pressed].map((role) => `[role=${role}]`).join()}`;
  const focused = document.activeElement;
  const filled = focused?.matches(fields) ? focused.closest("form,dialog,[role=dialog]") : null;
  const hostOf = (node: Node): Element | null => {
    const root = node.getRootNode();
    return root instanceof ShadowRoot ? root.host : null;
  };
  /** The nearest one around it, also outside of its shadow root. */
  const around = (element: Element, selector: string): Element | null => {
    for (let at: Element | null = element; at; at = hostOf(at)) {
      const found = at.closest(selector);
      if (found) return found;
    }
    return null;
  };
  const has = (outer: Element, inner: Element): boolean => {
    for (let at: Element | null = inner; at; at = hostOf(at)) if (outer.contains(at)) return true;
    return false;
  };
  const textOf = (element: Element): string => {
    const own = element instanceof HTMLElement ? element.innerText : element.textContent;
    const shown = own || element.getAttribute("aria-label") || element.getAttribute("title") || "";
    return shown.replace(/\s+/g, " ").trim();
  };
  const nameOf = (element: Element): string => {
    const said = element instanceof HTMLInputElement && /^(button|submit|reset)$/.test(element.type);
    const shown = said ? element.value : textOf(element);
    const attributes = ["id", "class", "name"]
      .map((name) => [name, element.getAttribute(name)?.slice(0, 40)])
      .filter(([, value]) => value)
      .slice(0, 1)
      .map(([name, value]) => ` ${name}="${value}"`);
    const cut = shown.length > 40 ? `${shown.slice(0, 40)}…` : shown;
    return `<${element.localName}${attributes.join("")}>${cut ? ` "${cut}"` : ""}`;
  };
  const sized = (boxes: Iterable<DOMRect>): DOMRect[] =>
    [...boxes].filter(({ width, height }) => width >= 1 && height >= 1);
  /** Its boxes; those of what is in it if it has none itself: `display: contents`, a link around a picture that floats. */
  const boxesOf = (element: Element): DOMRect[] => {
    const own = sized(element.getClientRects());
    const { display, overflow } = getComputedStyle(element);
    if (own.length > 0 || (display !== "contents" && overflow !== "visible")) return own;
    return [...(element.shadowRoot ?? element).childNodes].flatMap((node) => {
      if (node instanceof Element) return isVisible(node) ? boxesOf(node) : [];
      if (node.nodeType !== Node.TEXT_NODE) return [];
      const range = document.createRange();
      range.selectNode(node);
      return sized(range.getClientRects());
    });
  };
  const isInView = ({ x, y }: { x: number; y: number }): boolean =>
    x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  /** Where it may be pressed, the likeliest first. */
  const pointsOf = (element: Element): { x: number; y: number }[] => {
    const boxes = boxesOf(element);
    const inside = boxes.slice(0, 3).flatMap(({ x, y, width, height }) =>
      [
        [0.5, 0.5],
        [0.1, 0.5],
        [0.9, 0.5],
        [0.5, 0.1],
        [0.5, 0.9],
      ].map(([right = 0, down = 0]) => ({ x: x + width * right, y: y + height * down })),
    );
    const [first] = boxes;
    const isInside = first && offset && offset.x <= first.width && offset.y <= first.height;
    return isInside ? [{ x: first.x + offset.x, y: first.y + offset.y }, ...inside] : inside;
  };
  /** What is pressed there, in place of the element; null if that is the element. */
  const coverAt = ({ x, y }: { x: number; y: number }, element: Element, control: Element | null): Element | null => {
    const hit = (element.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);
    if (!hit) return document.documentElement;
    const label = hit.closest("label")?.control;
    const isIt = has(element, hit) || (control !== null && has(control, hit)) || (label && label === element);
    return isIt ? null : hit;
  };
  const isShown = (element: Element): boolean => {
    if (element.checkVisibility({ visibilityProperty: true })) return true;
    const { display, visibility } = getComputedStyle(element);
    return display === "contents" && visibility === "visible";
  };
  const isVisible = (element: Element): boolean => isShown(element) && boxesOf(element).length > 0;
  /** Why it cannot be used wherever it is; "" if it can. */
  const stateOf = (element: Element, control: Element | null): string => {
    if (!isVisible(element)) return "is not visible";
    if (use === "see") return "";
    const isDisabled = control?.matches(":disabled") || element.matches(":disabled");
    if (use !== "point" && isDisabled) return "is disabled";
    return around(element, "[inert]") ? "is inert" : "";
  };
  /** Brings it into view. @returns why it cannot be used there, or where it can */
  const placeOf = (element: Element, control: Element | null): { x: number; y: number } | string => {
    if (!pointsOf(element).some(isInView))
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const points = pointsOf(element).filter(isInView);
    const [first] = points;
    if (!first) return OUTSIDE;
    const free = points.find((point) => coverAt(point, element, control) === null);
    if (!free) return `is covered by ${nameOf(coverAt(first, element, control) ?? element)}`;
    return free;
  };
  const OUTSIDE = "is outside of the window";
  const saysDisabled = (control: Element | null): boolean =>
    (use === "press" || use === "fill") && control?.getAttribute("aria-disabled") === "true";
  const look = (element: Element): Look => {
    const control = around(element, use === "fill" ? fields : controls);
    const isControl = control !== null || (use === "press" && getComputedStyle(element).cursor === "pointer");
    const isExact = text !== null && textOf(control ?? element) === text;
    const isClear = !element.checkVisibility({ opacityProperty: true });
    const isNear = filled?.contains(element) ?? false;
    const named = { name: nameOf(element), isControl, isExact, isNear, isClear };
    const base = { ...named, isHidden: false, at: { x: 0, y: 0 }, fault: "" };
    const fault = stateOf(element, control);
    if (fault !== "") return { ...base, fault, isHidden: fault === "is not visible" };
    // What is chosen from, and not typed, is not pressed.
    if (use === "see" || (use === "fill" && element.matches(chosen))) return base;
    const place = placeOf(element, control);
    if (typeof place === "string") return { ...base, fault: place, isHidden: place === OUTSIDE };
    return { ...base, at: place, fault: saysDisabled(control) ? "says that it is disabled" : "" };
  };
  const found = elements.map((element) => look(element));
  const places = (): string[] =>
    elements.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x, y, width, height].join();
    });
  if (use === "see" || found.every(({ fault }) => fault !== "")) return found;
  const before = places();
  // A frame that is not drawn must not hold the step up.
  const drawn = () => new Promise((resolve) => [requestAnimationFrame(resolve), setTimeout(resolve, 200)]);
  await drawn();
  await drawn();
  const after = places();
  return found.map((one, index) =>
    one.fault === "" && before[index] !== after[index] ? { ...one, fault: "moves" } : one,
  );
}

/**
 * Where a place in a frame's window is in the window around it; brings it into view there.
 *
 * @returns why it cannot be used there, or where it is
 */
export function outOfFrame(frame: Element, inside: { x: number; y: number }): { x: number; y: number } | string {
  const { paddingLeft, paddingTop } = getComputedStyle(frame);
  const placeOf = (): { x: number; y: number } => {
    const { x, y, width, height } = frame.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = frame as HTMLElement;
    return {
      x: x + (frame.clientLeft + Number.parseFloat(paddingLeft) + inside.x) * (width / offsetWidth),
      y: y + (frame.clientTop + Number.parseFloat(paddingTop) + inside.y) * (height / offsetHeight),
    };
  };
  const isInView = ({ x, y }: { x: number; y: number }): boolean =>
    x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  if (!isInView(placeOf())) frame.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  // A frame may be longer than the window.
  const { x, y } = placeOf();
  if (!isInView({ x, y })) scrollBy({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: "instant" });
  const place = placeOf();
  if (!isInView(place)) return "is in a part of its frame that is outside of the window";
  const hit = (frame.getRootNode() as Document | ShadowRoot).elementFromPoint(place.x, place.y);
  return hit === frame ? place : `is in a frame that is covered by <${hit?.localName ?? "html"}>`;
}

/**
 * A number for what the document shows: its elements that are visible, with their attributes and texts. Equal ones show the
 * same. It says nothing of styles, but with `withStyles` of those of what is pointed at.
 */
export function shownOf(withStyles: boolean): number {
  let hash = 0;
  const add = (text: string): void => {
    for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  };
  /** A clock goes on by itself. */
  const CLOCK = /\d+(?::\d+)+/g;
  let left = 20_000;
  const addElement = (element: Element): void => {
    const { value, checked, open } = element as { value?: unknown; checked?: boolean; open?: boolean };
    const attributes = [...element.attributes].map((one) => `${one.name}=${one.value}`);
    const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    add(
      [
        element.localName,
        ...attributes,
        ...texts.map(({ nodeValue }) => nodeValue?.replace(CLOCK, ":")),
        value,
        checked,
        open,
      ].join(),
    );
  };
  const walk = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll("*")) {
      left -= 1;
      if (left < 0) return;
      if (/^(script|style|link|meta|template|noscript)$/.test(element.localName)) continue;
      if (element.shadowRoot) walk(element.shadowRoot);
      if (element.checkVisibility({ visibilityProperty: true })) addElement(element);
    }
  };
  add(location.href);
  walk(document);
  if (withStyles)
    for (const element of document.querySelectorAll(":hover")) {
      const { color, background, border, outline, textDecoration, opacity, boxShadow } = getComputedStyle(element);
      add([color, background, border, outline, textDecoration, opacity, boxShadow].join());
    }
  return hash;
}
