import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** The most clickable elements that are looked at. */
const MAX_CLICKABLE = 500;
/** The most findings of a page. */
const MAX_FOUND = 40;

/** What a mouse can click, and the walk did not come to. Only a walk that has been everywhere can tell. */
export async function findUnreached(walker: Walker, { isCut, trapped }: Walk): Promise<void> {
  const { tab, places, limit } = walker;
  if (isCut || trapped || limit.isOver()) return;
  const main = await limit.command(places.main());
  // What scrolling shows, as a button that leads back to the top, was not there while the focus went through the page.
  await limit.command(tab.call(main.world, scrollToTop));
  const ids = await limit.command(tab.hands.callOnClickable(main.world, unreachedOf, MAX_CLICKABLE));
  const summary = "A mouse can click this element, but Tab never came to it, or to anything around or in it.";
  const faults = ids.map((id) => ({ rule: "sv-keyboard-unreachable" as const, id, review: true, summary }));
  await report(walker, main, faults, { most: MAX_FOUND, what: "elements are not reached" });
}

/** Runs in the page. Waits until it has reacted. */
async function scrollToTop(): Promise<void> {
  if (scrollY === 0 && scrollX === 0) return;
  scrollTo({ top: 0, left: 0, behavior: "instant" });
  await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Runs in the page. @returns the outermost of these elements that somebody could click, and no key came to */
function unreachedOf(...clickable: Element[]): number[] {
  const { svTools: tools } = globalThis as unknown as ToolsWorld;
  const { nameOf, attribute, parentOf, rectangle, isVisible, idOf, stops } = tools;
  const contains = (outer: Element, inner: Element): boolean => {
    for (let at: Element | null = inner; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const upwards = (element: Element, test: (one: Element) => boolean): boolean => {
    for (let at: Element | null = element; at; at = parentOf(at)) if (test(at)) return true;
    return false;
  };
  const containers = /^(?:html|body|main|form|label|option|area|summary|video|audio|object|embed|iframe)$/;
  const natives = /^(?:a|button|input|select|textarea)$/;
  // Arrow keys move in these, once Tab has come to one of them.
  const inComposite =
    /^(?:tab|option|menuitem(?:radio|checkbox)?|treeitem|gridcell|row|cell|radio|columnheader|rowheader)$/;
  const composites = /^(?:toolbar|tablist|menu|menubar|radiogroup|listbox|grid|tree|treegrid|group)$/;
  const widgets = /^(?:button|link|checkbox|switch|textbox|combobox|slider|spinbutton)$/;
  const roleOf = (element: Element): string => attribute(element, "role").trim().split(/\s+/)[0] ?? "";
  const isOff = (element: Element): boolean =>
    attribute(element, "aria-hidden") === "true" ||
    attribute(element, "aria-disabled") === "true" ||
    Element.prototype.hasAttribute.call(element, "inert") ||
    Element.prototype.hasAttribute.call(element, "disabled");
  const isHit = (element: Element): boolean => {
    Element.prototype.scrollIntoView.call(element, { block: "center", behavior: "instant" });
    const { left, top, width, height } = rectangle(element);
    const hit = Document.prototype.elementFromPoint.call(document, left + width / 2, top + height / 2);
    return hit !== null && (contains(element, hit) || contains(hit, element));
  };
  // Before anything is scrolled into view: that may show more.
  const withRole = Document.prototype.querySelectorAll.call(document, "[role]");
  const shown = new Set([...clickable, ...withRole].filter(isVisible));
  const hrefs = new Set([...stops].map((stop) => attribute(stop, "href")).filter((href) => href !== ""));
  const rove = (element: Element): boolean => {
    if (attribute(element, "tabindex") !== "-1") return false;
    // The widget around it, or what is as near as one: the items beside it have a stop for all of them.
    let whole: Element = element;
    for (let up = 0; up < 8; up += 1) {
      const parent = parentOf(whole);
      if (!parent || /^(?:body|html|main|form|section|article)$/.test(nameOf(parent))) break;
      if (up >= 3 && !composites.test(roleOf(parent))) continue;
      whole = parent;
      if (composites.test(roleOf(whole))) break;
    }
    return whole !== element && [...stops].some((stop) => contains(whole, stop));
  };
  /** A few words, and nothing that could be meant instead: whoever listens to the clicks of more may mean any part of it. */
  const isSmall = (element: Element): boolean => {
    const text = String(Reflect.get(Node.prototype, "textContent", element)).trim();
    return (
      text !== "" &&
      text.length < 60 &&
      Element.prototype.querySelector.call(element, "a,button,input,div,p,ul") === null
    );
  };
  const isMeant = (element: Element): boolean => {
    const [name, role] = [nameOf(element), roleOf(element)];
    if (containers.test(name) || inComposite.test(role)) return false;
    if (name === "input" && /^(?:radio|hidden)$/i.test(attribute(element, "type"))) return false;
    if (
      !natives.test(name) &&
      !widgets.test(role) &&
      getComputedStyle(element).cursor !== "pointer" &&
      !isSmall(element)
    )
      return false;
    return !/\b(?:overlay|backdrop|resiz\w*|\w*-?dragg\w*)\b/.test(attribute(element, "class"));
  };
  const isUnreached = (element: Element): boolean => {
    const { width, height, right, bottom } = rectangle(element);
    if (width < 4 || height < 4 || right + scrollX <= 0 || bottom + scrollY <= 0 || !shown.has(element)) return false;
    if (upwards(element, (one) => isOff(one) || stops.has(one) || nameOf(one) === "label")) return false;
    if ([...stops].some((stop) => contains(element, stop))) return false;
    // A picture beside a link that leads to the same place.
    if (hrefs.has(attribute(element, "href")) || rove(element)) return false;
    // It is reached, and sends the focus away: that is said by itself.
    if (/\bblur\s*\(/.test(attribute(element, "onfocus"))) return false;
    return isHit(element);
  };
  // Scripts may listen to the clicks of a whole document: then only its role says what can be clicked.
  const widgetsOf = [...withRole].filter((element) => widgets.test(roleOf(element)));
  const found = [...new Set([...clickable, ...widgetsOf])].filter(
    (element) => isMeant(element) && isUnreached(element),
  );
  return found.filter((one) => !found.some((other) => other !== one && contains(other, one))).map(idOf);
}
