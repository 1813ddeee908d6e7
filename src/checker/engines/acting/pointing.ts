import { judgePointed } from "../../../domain/acting/care/judge.ts";
import { short } from "../../../domain/acting/care/seen.ts";
import { type Fault, report, type Walker } from "./findings.ts";
import { seePointed } from "./see.ts";
import { markShown, type ShownWorld } from "./shown.ts";
import { focusOn, pause, type ToolsWorld } from "./tools.ts";

/** The elements that are pointed at, and those of which is looked whether what they show can be left. */
const MAX_POINTED = 400;
const MAX_TRIED = 3;
/** How long a page has to react. */
const EFFECT_MS = 80;
/** The most findings of a page. */
const MAX_FOUND = 6;

/**
 * What is shown while a mouse points at something: whether the focus shows it, too, and whether it can be dismissed and pointed
 * at. Styles are read; scripts are told of a mouse, element by element, which clicks nothing.
 */
export async function findPointed(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const faults: Fault[] = judgePointed(await limit.command(tab.call(main.world, seePointed)));
  // What the focus shows where the walk has ended is seen by that.
  await limit.command(tab.call(main.world, leaveAll));
  await limit.command(tab.call(main.world, markShown));
  const shown = await limit.command(tab.call(main.world, pointAtAll, MAX_POINTED, MAX_FOUND));
  for (const { trigger, id, text, numControls, byFocus } of shown) {
    if (byFocus || trigger === id) continue;
    const what = numControls > 0 ? `${numControls} links or controls` : "a text";
    const summary = `A script shows ${what} ("${short(text)}") while a mouse points here, and nothing did so when the focus came by.`;
    faults.push({ rule: "sv-hover-only", id: trigger, review: true, summary });
  }
  const styled = await limit.command(tab.call(main.world, shownByStyle));
  for (const one of [...shown.filter(({ byFocus }) => byFocus), ...styled].slice(0, MAX_TRIED)) {
    if (limit.isOver()) break;
    const why = (await staysByEscape(walker, main.world, one)) ?? (await goesWithPointer(walker, main.world, one));
    if (why)
      faults.push({ rule: "sv-hover-content", id: one.id, review: true, summary: `"${short(one.text)}" ${why}.` });
  }
  await report(walker, main, faults, { most: MAX_FOUND, what: "things that pointing shows" });
}

type Pointed = { trigger: number; id: number; text: string };

async function staysByEscape(
  { tab, limit }: Walker,
  world: number,
  { trigger, id }: Pointed,
): Promise<string | undefined> {
  await limit.command(tab.call(world, point, trigger, false));
  if (!(await limit.command(tab.call(world, focusOn, trigger)))) return undefined;
  await limit.command(tab.call(world, pause, EFFECT_MS));
  if (!(await limit.command(tab.call(world, coversText, id)))) return undefined;
  await limit.command(tab.hands.press("Escape"));
  await limit.command(tab.call(world, pause, EFFECT_MS));
  const stays = await limit.command(tab.call(world, coversText, id));
  return stays
    ? "lies over other content while what shows it has the focus, and Escape does not dismiss it"
    : undefined;
}

async function goesWithPointer(
  { tab, limit }: Walker,
  world: number,
  { trigger, id }: Pointed,
): Promise<string | undefined> {
  await limit.command(tab.call(world, leaveAll));
  await limit.command(tab.call(world, point, trigger, true));
  await limit.command(tab.call(world, pause, EFFECT_MS));
  if (!(await limit.command(tab.call(world, isApartAndShown, trigger, id)))) return undefined;
  await limit.command(tab.call(world, movePointer, trigger, id));
  await limit.command(tab.call(world, pause, 2 * EFFECT_MS));
  const stays = await limit.command(tab.call(world, isApartAndShown, trigger, id));
  await limit.command(tab.call(world, point, id, false));
  return stays ? undefined : "is gone when the pointer moves from what shows it to this";
}

/** Runs in the page: tells scripts that a mouse has come to an element after the other, and has left it. */
function pointAtAll(
  maxPointed: number,
  maxFound: number,
): { trigger: number; id: number; text: string; numControls: number; byFocus: boolean }[] {
  const { svTools, svShown } = globalThis as unknown as ShownWorld;
  const { idOf, elementOf, isVisible } = svTools;
  const CANDIDATES =
    "a[href],button,[role=button],[role=menuitem],[tabindex],[aria-describedby],[aria-haspopup],[onmouseover],[onmouseenter],nav li,abbr,[class*=tip],[class*=hover]";
  const candidates = [...Document.prototype.querySelectorAll.call(document, CANDIDATES)].filter(isVisible);
  const found = new Map<number, ReturnType<typeof pointAtAll>[number]>();
  const tell = (element: Element, types: readonly string[]): void => {
    const { left, top } = svTools.rectangle(element);
    for (const type of types) {
      const bubbles = !/enter|leave/.test(type);
      const init = { bubbles, cancelable: true, composed: true, clientX: left + 2, clientY: top + 2, view: window };
      const event = type.startsWith("pointer")
        ? new PointerEvent(type, { ...init, pointerType: "mouse" })
        : new MouseEvent(type, init);
      EventTarget.prototype.dispatchEvent.call(element, event);
    }
  };
  svShown.hasChanged();
  for (const element of candidates.slice(0, maxPointed)) {
    if (found.size >= maxFound) break;
    tell(element, ["pointerover", "pointerenter", "mouseover", "mouseenter", "mousemove"]);
    if (svShown.hasChanged()) {
      const appeared = svShown.appeared();
      for (const { id, text, numControls } of appeared.slice(0, 2))
        if (!found.has(id))
          found.set(id, {
            ...{ trigger: idOf(element), id, text, numControls },
            byFocus: [...svShown.byFocus].some((one) => one === elementOf(id) || one.contains(elementOf(id) ?? null)),
          });
      tell(element, ["pointerout", "pointerleave", "mouseout", "mouseleave"]);
      // What stays is seen from now on: the next one has not shown it.
      if (appeared.length > 0) svShown.mark();
    } else tell(element, ["pointerout", "pointerleave", "mouseout", "mouseleave"]);
  }
  return [...found.values()];
}

/** Runs in the page: parts that styles show with the focus, and what has to have it. */
function shownByStyle(): Pointed[] {
  const { svTools } = globalThis as unknown as ShownWorld;
  const { idOf, nameOf } = svTools;
  const all = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const tips = all("[role=tooltip],[class*=tooltip],[class*=tip]").filter(
    (one) => !Element.prototype.checkVisibility.call(one, { visibilityProperty: true, opacityProperty: true }),
  );
  return tips.slice(0, 20).flatMap((tip): Pointed[] => {
    const id = Element.prototype.getAttribute.call(tip, "id") ?? "";
    const described = id === "" ? null : (all(`[aria-describedby~="${CSS.escape(id)}"]`)[0] ?? null);
    const around = Element.prototype.closest.call(tip, "a[href],button,[tabindex]");
    const trigger = described ?? around;
    const text = String(Reflect.get(Node.prototype, "textContent", tip))
      .trim()
      .slice(0, 200);
    return trigger && text !== "" && nameOf(trigger) !== "body"
      ? [{ trigger: idOf(trigger), id: idOf(tip), text }]
      : [];
  });
}

/** Runs in the page. */
function point(id: number, isThere: boolean): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.elementOf(id);
  const types = isThere
    ? ["pointerover", "pointerenter", "mouseover", "mouseenter", "mousemove"]
    : ["pointerout", "pointerleave", "mouseout", "mouseleave"];
  for (const type of element ? types : []) {
    const init = { bubbles: !/enter|leave/.test(type), composed: true };
    const event = type.startsWith("pointer") ? new PointerEvent(type, init) : new MouseEvent(type, init);
    EventTarget.prototype.dispatchEvent.call(element as Element, event);
  }
}

/** Runs in the page: the pointer leaves one element for another one, on the way of which there is nothing. */
function movePointer(from: number, to: number): void {
  const { elementOf } = (globalThis as unknown as ToolsWorld).svTools;
  const [one, other] = [elementOf(from), elementOf(to)];
  if (!one || !other) return;
  const tell = (element: Element, related: Element, types: readonly string[]): void => {
    for (const type of types)
      EventTarget.prototype.dispatchEvent.call(
        element,
        new MouseEvent(type, { bubbles: !/enter|leave/.test(type), composed: true, relatedTarget: related }),
      );
  };
  tell(one, other, ["mouseout", "mouseleave"]);
  tell(other, one, ["mouseover", "mouseenter", "mousemove"]);
}

/** Runs in the page. Whether it is seen, and lies over a text of the page. */
function coversText(id: number): boolean {
  const { svTools, svShown } = globalThis as unknown as ShownWorld;
  const element = svTools.elementOf(id);
  if (!element || !svShown.isShown(id)) return false;
  let at: Element | null = element;
  while (at && !/^(?:absolute|fixed)$/.test(getComputedStyle(at).position)) at = svTools.parentOf(at);
  if (!at) return false;
  const { left, top, width, height } = svTools.rectangle(element);
  const texts = [...Document.prototype.querySelectorAll.call(document, "p,h1,h2,h3,li,td,a,label,button")];
  return texts.some((text) => {
    if (Node.prototype.contains.call(text, element) || Node.prototype.contains.call(element, text)) return false;
    const other = svTools.rectangle(text);
    const across = Math.min(left + width, other.right) - Math.max(left, other.left);
    const down = Math.min(top + height, other.bottom) - Math.max(top, other.top);
    return across > 4 && down > 4 && svTools.isVisible(text);
  });
}

/** Runs in the page. Whether it is seen, and no part of what shows it. */
function isApartAndShown(trigger: number, id: number): boolean {
  const { svTools, svShown } = globalThis as unknown as ShownWorld;
  const [one, other] = [svTools.elementOf(trigger), svTools.elementOf(id)];
  return one !== undefined && other !== undefined && !Node.prototype.contains.call(one, other) && svShown.isShown(id);
}

/** Runs in the page. */
function leaveAll(): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.active();
  if (element instanceof HTMLElement) HTMLElement.prototype.blur.call(element);
}
