/**
 * Functions that run inside pages, in our isolated world, for content that comes late. Each is sent as its source text, so
 * it must not use anything outside itself except types. Named elements hide members of the DOM in every world, so members
 * are read through the prototypes.
 */

/** When the timers are due that a page has started, in ms from now; 0 or less for none. Of those that repeat, the first time. */
export type Timers = {
  any: number;
  leaving: number;
  repeated: number /** The last of them, by the page's clock. */;
  last: number;
  /** When the last one was to fire first that looks again and again at whether something is there, by the page's clock; 0 for none. */
  polling: number;
};

/** The longest delay of a timer that is waited for, in ms. */
export const MAX_TIMER_MS = 5_000;

/**
 * Runs in the page's own world, before its scripts: notes when the last timer of up to five seconds is due, and the last
 * one whose function leads to another page, and when one fires first that repeats. Nothing else in a browser says that. The notes are marks of the document's
 * performance timeline, which both worlds see.
 */
export const NOTE_TIMERS = `(${noteTimers})(${MAX_TIMER_MS});`;

function noteTimers(maxDelay: number): void {
  const { performance } = window;
  const { mark, clearMarks, now } = Performance.prototype;
  const { toString: sourceOf } = Function.prototype;
  const { exec } = RegExp.prototype;
  const { apply } = Reflect;
  const leaves =
    /\blocation(\.(href|pathname|search))?\s*=[^=]|\blocation\.(assign|replace)\b|\blocation\[|\.submit\b|\bnavigation\.navigate\b/;
  const last = { any: 0, leaving: 0, repeated: 0, polling: 0 };
  const note = (which: keyof typeof last, delay: number): void => {
    const due = apply(now, performance, []) + delay;
    if (due <= last[which]) return;
    last[which] = due;
    const name = `site-validator ${which}`;
    apply(clearMarks, performance, [name]);
    apply(mark, performance, [name, { startTime: due }]);
  };
  window.setInterval = new Proxy(window.setInterval, {
    apply(target, self, given) {
      try {
        if (given[1] > 0 && given[1] <= maxDelay) note("repeated", +given[1]);
        // Clocks and shows of pictures are slower.
        if (given[1] > 0 && given[1] <= 500) note("polling", +given[1]);
      } catch {}
      return apply(target, self, given);
    },
  });
  window.setTimeout = new Proxy(window.setTimeout, {
    apply(target, self, given) {
      try {
        const [what, delay] = given;
        if (delay > 0 && delay <= maxDelay) {
          note("any", +delay);
          if (apply(exec, leaves, [typeof what === "function" ? apply(sourceOf, what, []) : what]))
            note("leaving", +delay);
        }
      } catch {}
      return apply(target, self, given);
    },
  });
}

export function readTimers(): Timers {
  let last = 0;
  const dueIn = (name: string): number => {
    const [mark] = Performance.prototype.getEntriesByName.call(performance, `site-validator ${name}`);
    last = Math.max(last, mark?.startTime ?? 0);
    return mark ? Math.min(5_000, mark.startTime - performance.now()) : 0;
  };
  const due = { any: dueIn("any"), leaving: dueIn("leaving"), repeated: dueIn("repeated"), last };
  const [polling] = Performance.prototype.getEntriesByName.call(performance, "site-validator polling");
  return { ...due, polling: polling?.startTime ?? 0 };
}

/**
 * Scrolls through the page once as a reader would, by a window's height at a time, and back to its top: for what is loaded
 * or inserted when it is near. A page without scripts and without anything lazy has nothing of that kind.
 *
 * @returns how many steps it took
 */
export async function scrollThrough(maxSteps: number, limitMs: number): Promise<number> {
  const get = (prototype: object, name: string, of: unknown): unknown => Reflect.get(prototype, name, of);
  const query = Document.prototype.querySelector;
  const scripts = get(Document.prototype, "scripts", document) as HTMLCollection;
  if (scripts.length === 0 && !query.call(document, "[loading=lazy i]")) return 0;
  const height = (element: Element): number => get(Element.prototype, "clientHeight", element) as number;
  const length = (element: Element): number => get(Element.prototype, "scrollHeight", element) as number;
  const scrolls = (element: Element): boolean =>
    length(element) > height(element) + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY);
  const root = get(Document.prototype, "scrollingElement", document) as Element | null;
  /** Some pages scroll in an element of theirs. */
  const inner = (): Element | null => {
    let at = Document.prototype.elementFromPoint.call(document, innerWidth / 2, innerHeight / 2);
    while (at && !scrolls(at)) at = get(Node.prototype, "parentElement", at) as Element | null;
    return at;
  };
  const isRoot = root !== null && length(root) > innerHeight + 1;
  const scroller = isRoot ? root : inner();
  if (!scroller) return 0;
  const step = Math.max(100, isRoot ? innerHeight : height(scroller));
  // What is observed is told after a frame, not in it. A frame that is not drawn must not hold the page up.
  const drawn = (): Promise<void> =>
    new Promise((resolve) => {
      const late = setTimeout(resolve, 200);
      requestAnimationFrame(() => {
        clearTimeout(late);
        setTimeout(resolve, 0);
      });
    });
  const to = (top: number): Promise<void> => {
    Reflect.apply(Element.prototype.scrollTo, scroller, [{ top, behavior: "instant" }]);
    return drawn();
  };
  const end = performance.now() + limitMs;
  let steps = 0;
  for (let top = step; top < length(scroller) && steps < maxSteps && performance.now() < end; top += step) {
    await to(top);
    steps += 1;
  }
  if (steps > 0) await to(0);
  return steps;
}

/** Elements that were added to the document since `watchChanges`: how many, and the first one. */
export type Changes = { added: number; first: string };

type World = { changes?: { seen: Changes; read: () => void }; stillness?: () => Stillness };

/** How long a document has been still, in ms. */
export type Stillness = {
  /** Since anything has changed, and since an element was added. */
  changed: number;
  added: number;
  /** The element that was added last, and one that is being animated and will end; "" for none. */
  lastAdded: string;
  animated: string;
};

/** Says how still the document is, and watches it from its first call on. What moves without end does not count. */
export function readStillness(): Stillness {
  const world = globalThis as World;
  const nameOf = (element: Element): string => {
    const id = Element.prototype.getAttribute.call(element, "id");
    return `<${Reflect.get(Element.prototype, "localName", element)}${id ? ` id="${id.slice(0, 100)}"` : ""}>`;
  };
  const watch = (): (() => Stillness) => {
    let changed = performance.now();
    let added = changed;
    let lastAdded = "";
    const take = (records: readonly MutationRecord[]): void => {
      if (records.length > 0) changed = performance.now();
      const node = records.flatMap(({ addedNodes }) => [...addedNodes]).findLast((one) => one instanceof HTMLElement);
      if (!node || /^(script|style|link|meta|template)$/i.test(node.nodeName)) return;
      added = performance.now();
      lastAdded = nameOf(node as HTMLElement);
    };
    const observer = new MutationObserver(take);
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    const animatedOne = (): string => {
      const running = Document.prototype.getAnimations.call(document).find(({ playState, effect }) => {
        const { endTime = 0 } = effect?.getComputedTiming() ?? {};
        return playState === "running" && endTime !== Number.POSITIVE_INFINITY;
      });
      const target = (running?.effect as KeyframeEffect | undefined)?.target;
      return target ? nameOf(target) : running ? "the page" : "";
    };
    return () => {
      take(observer.takeRecords());
      const now = performance.now();
      return { changed: now - changed, added: now - added, lastAdded, animated: animatedOne() };
    };
  };
  world.stillness ??= watch();
  return world.stillness();
}

/** Counts from now on what is added to the document: changes of texts and attributes, as of clocks, do not count. */
export function watchChanges(): void {
  const seen: Changes = { added: 0, first: "" };
  const take = (records: readonly MutationRecord[]): void => {
    for (const { addedNodes } of records)
      for (const node of addedNodes) {
        if (!(node instanceof HTMLElement) || !Reflect.get(Node.prototype, "isConnected", node)) continue;
        const name = String(Reflect.get(Element.prototype, "localName", node));
        if (/^(script|style|link|meta|noscript|template)$/.test(name)) continue;
        seen.added += 1;
        const id = Element.prototype.getAttribute.call(node, "id");
        seen.first ||= `<${name}${id ? ` id="${id.slice(0, 100)}"` : ""}>`;
      }
    // Whatever comes further changes nothing.
    if (seen.added >= 10_000) observer.disconnect();
  };
  const observer = new MutationObserver(take);
  observer.observe(document, { childList: true, subtree: true });
  (globalThis as World).changes = { seen, read: () => take(observer.takeRecords()) };
}

export function readChanges(): Changes {
  const { changes } = globalThis as World;
  changes?.read();
  return changes?.seen ?? { added: 0, first: "" };
}

/** What follows the load event of a document. */
export type AfterLoad = {
  /** True when it has scripts or frames: without them no request follows. */
  hasScripts: boolean;
  /** The values of its first refreshes, and the URL that they are resolved against. */
  refreshes: string[];
  base: string;
};

export function readAfterLoad(): AfterLoad {
  const scripts = Reflect.get(Document.prototype, "scripts", document) as HTMLCollection;
  const body = Reflect.get(Document.prototype, "body", document) as HTMLElement | null;
  const isActive = body !== null && Element.prototype.hasAttribute.call(body, "onload");
  const elements = Document.prototype.querySelectorAll.call(document, "meta[http-equiv=refresh i][content]");
  const contentOf = (element: Element) => Element.prototype.getAttribute.call(element, "content") ?? "";
  return {
    hasScripts: scripts.length > 0 || window.length > 0 || isActive,
    refreshes: [...elements].slice(0, 10).map((element) => contentOf(element).slice(0, 65_536)),
    base: Reflect.get(Node.prototype, "baseURI", document) as string,
  };
}
