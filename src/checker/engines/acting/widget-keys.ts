import { keysOf, type WidgetKeys } from "../../../domain/acting/widget-keys.ts";
import { namesChange } from "../../../domain/acts/acts.ts";
import { type Fault, report, type Walker } from "./findings.ts";
import type { Place } from "./places.ts";
import { focusOn, type ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** The most controls whose keys are pressed, and findings of a page. */
const MAX_PRESSED = 10;
/** How long a page has to react: an answer may have to come first. */
const EFFECT_MS = 250;
/** A page on which nothing has changed for this long has done all that a key began; what changes for longer than the other goes on by itself. */
const QUIET_MS = 100;
const RESTLESS_MS = 1_000;
/** The most clickable elements that are looked at. */
const MAX_CLICKABLE = 500;

/**
 * What says that it is a control, is none by itself, and does not react to the keys of its kind. Pressed is nothing that is
 * named by a verb of change and, where somebody is signed in, only what says that it opens something.
 */
export async function findDeafWidgets(walker: Walker, { stops, isCut, trapped }: Walk): Promise<void> {
  const { tab, places, limit, opensOnly } = walker;
  const main = await limit.command(places.main());
  const ids = stops.filter(({ place }) => place.world === main.world).map(({ id }) => id);
  const widgets = await limit.command(tab.call(main.world, readWidgets, ids));
  const tried = widgets.flatMap((widget) => {
    const keys = keysOf(widget.role);
    const isTried = keys && (widget.opens || !opensOnly) && !widget.names.some(namesChange);
    return isTried ? [{ widget, keys }] : [];
  });
  const composites = isCut || trapped ? [] : await limit.command(tab.call(main.world, readComposites));
  if (tried.length + composites.length === 0) return;
  if (tried.length > MAX_PRESSED) limit.cut(`more than ${MAX_PRESSED} controls that are made of other elements`);
  const clickable = new Set(await limit.command(tab.hands.callOnClickable(main.world, idsOf, MAX_CLICKABLE)));
  const faults: Fault[] = composites
    .filter(({ items }) => items.some((id) => clickable.has(id)))
    .map(({ id, role }) => {
      const summary = `Tab does not come to this ${role}, or to anything in it, and a mouse can click what is in it.`;
      return { rule: "sv-widget-keys", id, review: false, summary };
    });
  for (const { widget, keys } of tried.slice(0, MAX_PRESSED)) {
    // Of what does nothing when it is clicked, nothing can be said.
    if (limit.isOver() || (keys.ifClickable && !clickable.has(widget.id))) continue;
    // Items that Tab comes to, too, need no arrows.
    if (keys.isItem && (widget.numItems < 2 || widget.numStops > 1)) continue;
    const deaf = await deafKeys(walker, main, widget.id, keys);
    if (deaf.length === 0 || (!keys.all && deaf.length < keys.keys.length)) continue;
    faults.push({ rule: keys.rule, id: widget.id, review: keys.isReview(deaf), summary: keys.says(widget.tag, deaf) });
  }
  await report(walker, main, faults, { most: MAX_PRESSED, what: "controls do not react to their keys" });
}

/** The keys that nothing happened by. */
async function deafKeys(
  { tab, limit }: Walker,
  { world }: Place,
  id: number,
  { keys }: WidgetKeys,
): Promise<WidgetKeys["keys"][number][]> {
  const deaf: WidgetKeys["keys"][number][] = [];
  for (const key of keys) {
    if (limit.isOver() || !(await limit.command(tab.call(world, focusOn, id)))) return [];
    // Or what an earlier key has begun would be taken for what this one does.
    if (!(await limit.command(tab.call(world, untilQuiet, QUIET_MS, RESTLESS_MS)))) {
      limit.cut("the keys of controls on a page that goes on changing");
      return [];
    }
    await limit.command(tab.call(world, watchKey));
    await limit.command(tab.hands.press(key));
    if (!(await limit.command(tab.call(world, reacts, EFFECT_MS)))) deaf.push(key);
  }
  return deaf;
}

type FoundWidget = {
  id: number;
  tag: string;
  role: string;
  names: string[];
  opens: boolean;
  /** Of an item: how many there are in its widget, and how many of them Tab comes to. */
  numItems: number;
  numStops: number;
};

/** Runs in the page: stops whose role is no native one's. */
function readWidgets(ids: readonly number[]): FoundWidget[] {
  const { elementOf, nameOf, attribute, namesOf, opens, parentOf, stops } = (globalThis as unknown as ToolsWorld)
    .svTools;
  const COMPOSITES = /^(?:tablist|menu|menubar|listbox|tree|radiogroup|grid|treegrid|toolbar)$/;
  const roleOf = (element: Element): string => attribute(element, "role").trim().split(/\s+/)[0] ?? "";
  return ids.flatMap((id): FoundWidget[] => {
    const element = elementOf(id);
    if (!element) return [];
    const [tag, role] = [nameOf(element), roleOf(element)];
    const isOff = ["aria-disabled", "aria-readonly"].some((name) => attribute(element, name) === "true");
    const isNative =
      /^(?:input|summary|select|textarea)$/.test(tag) || (tag === "button" && !/^(?:tab|menuitem)/.test(role));
    if (role === "" || isOff || isNative || (role === "link" && tag === "a")) return [];
    let around = parentOf(element);
    while (around && !COMPOSITES.test(roleOf(around))) around = parentOf(around);
    const items = around ? [...Element.prototype.querySelectorAll.call(around, `[role~="${CSS.escape(role)}"]`)] : [];
    return [
      {
        ...{ id, tag, role, names: namesOf(element), opens: opens(element) },
        numItems: items.length,
        numStops: items.filter((one) => stops.has(one)).length,
      },
    ];
  });
}

type FoundComposite = { id: number; role: string; items: number[] };

/** Runs in the page: widgets that are shown, have items, and neither a stop nor something elsewhere that moves in them. */
function readComposites(): FoundComposite[] {
  const { idOf, attribute, isVisible, parentOf, stops } = (globalThis as unknown as ToolsWorld).svTools;
  const query = (selector: string, within: Element | Document = document): Element[] => [
    ...(within instanceof Document
      ? Document.prototype.querySelectorAll.call(within, selector)
      : Element.prototype.querySelectorAll.call(within, selector)),
  ];
  const ITEMS = "[role=option],[role=tab],[role=treeitem],[role=radio],[role^=menuitem]";
  const isIn = (outer: Element, inner: Element): boolean => {
    for (let at: Element | null = inner; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const referred = new Set(
    query("[aria-controls],[aria-owns],[aria-activedescendant]").flatMap((one) =>
      ["aria-controls", "aria-owns", "aria-activedescendant"].flatMap((name) => attribute(one, name).split(/\s+/)),
    ),
  );
  const widgets = query("[role=listbox],[role=tablist],[role=tree],[role=radiogroup],[role=menu],[role=menubar]");
  return widgets.slice(0, 100).flatMap((widget): FoundComposite[] => {
    const items = query(ITEMS, widget).filter(isVisible);
    const isMovedFromElsewhere = [widget, ...items].some((one) => referred.has(attribute(one, "id") || " "));
    const isOff = attribute(widget, "aria-disabled") === "true" || !isVisible(widget);
    if (items.length < 2 || isOff || isMovedFromElsewhere) return [];
    if ([...stops].some((stop) => isIn(widget, stop))) return [];
    return [{ id: idOf(widget), role: attribute(widget, "role"), items: items.slice(0, 20).map(idOf) }];
  });
}

/** Runs in the page. */
function idsOf(...elements: Element[]): number[] {
  return elements.map((globalThis as unknown as ToolsWorld).svTools.idOf);
}

type KeyWorld = ToolsWorld & { svKey?: { isHeard(): boolean; end(): void } };

/** Runs in the page: whether the next key is heard, by a click, a handler that prevents what the browser does, or a change. */
function watchKey(): void {
  const world = globalThis as unknown as KeyWorld;
  const changes = world.svTools.watchChanges();
  const heard = { reacted: false };
  const onKey = (event: Event): void => {
    setTimeout(() => {
      heard.reacted ||= event.defaultPrevented;
    });
  };
  const onClick = (): void => {
    heard.reacted = true;
  };
  const before = world.svTools.active();
  for (const name of ["keydown", "keyup"]) addEventListener(name, onKey, true);
  addEventListener("click", onClick, true);
  world.svKey = {
    isHeard: () => heard.reacted || changes.take() || world.svTools.active() !== before,
    end: () => {
      for (const name of ["keydown", "keyup"]) removeEventListener(name, onKey, true);
      removeEventListener("click", onClick, true);
      changes.end();
    },
  };
}

/** Runs in the page. Waits until nothing has changed for a while. @returns whether that came to pass within the other time */
async function untilQuiet(quietMs: number, mostMs: number): Promise<boolean> {
  const changes = (globalThis as unknown as ToolsWorld).svTools.watchChanges();
  const until = performance.now() + mostMs;
  let isQuiet = false;
  while (!isQuiet && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    isQuiet = !changes.take();
  }
  changes.end();
  return isQuiet;
}

/** Runs in the page. @returns whether the key was heard within this time, as soon as it was */
async function reacts(ms: number): Promise<boolean> {
  const key = (globalThis as unknown as KeyWorld).svKey;
  if (!key) return true;
  const until = performance.now() + ms;
  let isHeard = key.isHeard();
  while (!isHeard && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    isHeard = key.isHeard();
  }
  key.end();
  return isHeard;
}
