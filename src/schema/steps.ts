/**
 * Steps in a browser, such as a sign-in: recordings of Chrome's DevTools Recorder as they are, or written by hand in the
 * same form (https://developer.chrome.com/docs/devtools/recorder). They are input of strangers: everything is bounded.
 */

import { MAX_STEPS } from "../settings/steps.ts";
import { selectorFault } from "./selector-fault.ts";

/** Alternatives, the first that is there is meant; one is CSS, or begins with aria/, text/, xpath/ or pierce/. Of a list, each is in the one before. */
export type Selectors = readonly (string | readonly string[])[];

type Where = { selectors: Selectors; frame?: readonly number[] };
/** What the recorder saw happen: a page was left for another, of which the origin is kept. An optional step may be impossible. */
type Common = { timeout?: number; assertedEvents?: readonly { type: string; url?: string }[]; optional?: boolean };
/** Of a recording: where in the element it was pressed, by which button of the mouse and for how long, in ms. */
type Press = { offset?: { x: number; y: number }; button?: MouseButton; duration?: number };
type MouseButton = "left" | "middle" | "right" | "back" | "forward";
/** How many elements have to be there, and with which attributes. */
type HowMany = { count?: number; operator?: ">=" | "==" | "<="; attributes?: Readonly<Record<string, string>> };

export type Step = Common &
  (
    | { type: "navigate"; url: string }
    | ({ type: "click" | "doubleClick" } & Where & Press)
    | ({ type: "hover" } & Where)
    | ({ type: "change"; value: string } & Where)
    | { type: "keyDown" | "keyUp"; key: string }
    | ({ type: "scroll"; x?: number; y?: number } & Partial<Where>)
    | ({ type: "waitForElement"; visible?: boolean } & Where & HowMany)
    | { type: "setViewport"; width: number; height: number }
  );

export const MAX_STEPS_LENGTH = 50_000;
const MAX_TEXT = 2_000;
const MAX_ALTERNATIVES = 20;
const MAX_TIMEOUT_MS = 30_000;

/** Steps that say nothing about the page. A recording has them. */
const IGNORED = new Set(["close", "emulateNetworkConditions"]);
const CODE = new Set(["waitForExpression", "customStep"]);
const KNOWN = "navigate, click, doubleClick, hover, change, keyDown, keyUp, scroll, waitForElement and setViewport";

/** A file of steps as the recorder's stringifier writes it, without the line after its JSON that maps it to its steps. */
export function withoutSourceMap(text: string): string {
  return text.replace(/^\/\/# recorderSourceMap=\S*\s*$/m, "");
}

/** @returns the steps, or what is wrong with them: texts that name a step by its number, and never a value */
export function readSteps(given: unknown): { steps: Step[] } | { faults: string[] } {
  const list = Array.isArray(given) ? given : isRecord(given) ? given.steps : undefined;
  if (!Array.isArray(list))
    return { faults: ['the steps must be a list, or a recording of Chrome\'s DevTools with a list "steps"'] };
  if (JSON.stringify(list).length > MAX_STEPS_LENGTH)
    return { faults: [`the steps have more than ${MAX_STEPS_LENGTH} characters`] };
  const usual = isRecord(given) && given.timeout !== undefined ? { timeout: given.timeout } : {};
  const known = list.filter((step) => !isRecord(step) || !IGNORED.has(String(step.type)));
  if (known.length === 0 || known.length > MAX_STEPS)
    return { faults: [`there are ${known.length} steps; 1 to ${MAX_STEPS} are allowed`] };
  const read = list.flatMap((step: unknown, index) => {
    if (isRecord(step) && IGNORED.has(String(step.type))) return [];
    const result = readStep(isRecord(step) ? { ...usual, ...step } : step);
    return [typeof result === "string" ? `step ${index + 1}: ${result}` : result];
  });
  const faults = read.filter((one) => typeof one === "string");
  return faults.length > 0 ? { faults } : { steps: read.filter((one) => typeof one !== "string") };
}

/** @returns what is wrong with it, or the step with nothing but what is used of it */
function readStep(step: unknown): Step | string {
  if (!isRecord(step)) return "it must be an object";
  const { type } = step;
  if (CODE.has(String(type)))
    return `${type} runs code, which is not allowed; use waitForElement to wait for something`;
  if (step.target !== undefined && step.target !== "main")
    return "it is in another window (its target), which is not supported: sign in within one window";
  const common = commonOf(step);
  if (typeof common === "string") return common;
  const read = typeof type === "string" && Object.hasOwn(readers, type) ? readers[type as Step["type"]] : undefined;
  if (!read) return `its type is ${JSON.stringify(type)?.slice(0, 50)}; allowed are ${KNOWN}`;
  const own = read(step);
  return typeof own === "string" ? own : ({ type, ...own, ...common } as Step);
}

/** What each kind of step has of its own, or what is wrong with that. */
const readers: Readonly<Record<Step["type"], (step: Record<string, unknown>) => object | string>> = {
  navigate: ({ url }) => (isWebUrl(url) ? { url } : "url must be an address that begins with http:// or https://"),
  ...{ click: pressOf, doubleClick: pressOf, hover: whereOf },
  change: (step) => {
    const where = whereOf(step);
    if (typeof where === "string") return where;
    return isText(step.value) || step.value === "" ? { value: step.value, ...where } : "value must be a text";
  },
  ...{ keyDown: keyOf, keyUp: keyOf },
  scroll: (step) => {
    const where = step.selectors === undefined ? {} : whereOf(step);
    return typeof where === "string" ? where : { ...numbersOf(step, ["x", "y"]), ...where };
  },
  waitForElement: (step) => {
    const [where, howMany] = [whereOf(step), howManyOf(step)];
    if (typeof where === "string") return where;
    if (typeof howMany === "string") return howMany;
    return { ...where, ...(step.visible === false && { visible: false }), ...howMany };
  },
  setViewport: ({ width, height }) =>
    isSize(width) && isSize(height) ? { width, height } : "width and height must be whole numbers from 1 to 4000",
};

function keyOf({ key }: Record<string, unknown>): object | string {
  return isText(key) && key.length <= 30 ? { key } : "key must be the name of a key, such as Enter";
}

/** The names that the recorder gives to the buttons of a mouse. */
const BUTTONS: Readonly<Record<string, MouseButton>> = {
  primary: "left",
  auxiliary: "middle",
  secondary: "right",
  back: "back",
  forward: "forward",
};
const MAX_PRESS_MS = 5_000;

function pressOf(step: Record<string, unknown>): object | string {
  const where = whereOf(step);
  if (typeof where === "string") return where;
  const { offsetX: x, offsetY: y, button = "primary", duration } = step;
  if (typeof button !== "string" || !Object.hasOwn(BUTTONS, button))
    return `button must be one of ${Object.keys(BUTTONS).join(", ")}`;
  const isPoint = typeof x === "number" && typeof y === "number" && x >= 0 && y >= 0;
  return {
    ...where,
    ...(isPoint && { offset: { x, y } }),
    ...(button !== "primary" && { button: BUTTONS[button] }),
    ...(typeof duration === "number" && duration > 0 && { duration: Math.min(duration, MAX_PRESS_MS) }),
  };
}

function howManyOf({ count, operator, attributes, properties }: Record<string, unknown>): HowMany | string {
  if (count !== undefined && !(Number.isInteger(count) && Number(count) >= 0 && Number(count) <= 1_000))
    return "count must be a whole number from 0 to 1000";
  if (operator !== undefined && !["==", ">=", "<="].includes(String(operator)))
    return 'operator must be "==", ">=" or "<="';
  if (properties !== undefined && !(isRecord(properties) && Object.keys(properties).length === 0))
    return "properties of elements are not supported; use attributes, or a selector that says the same";
  const isRight =
    attributes === undefined ||
    (isRecord(attributes) && Object.values(attributes).every((value) => typeof value === "string"));
  if (!isRight) return "attributes must be an object of texts";
  return {
    ...(count !== undefined && { count: count as number }),
    ...(operator !== undefined && { operator: operator as ">=" }),
    ...(attributes !== undefined && { attributes: attributes as Record<string, string> }),
  };
}

function commonOf({ timeout, assertedEvents, optional }: Record<string, unknown>): Common | string {
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0 && timeout <= MAX_TIMEOUT_MS))
    return `timeout must be a number of milliseconds, at most ${MAX_TIMEOUT_MS}`;
  if (optional !== undefined && typeof optional !== "boolean") return "optional must be true or false";
  const isNavigation = (event: unknown): event is Record<string, unknown> =>
    isRecord(event) && event.type === "navigation";
  const seen = Array.isArray(assertedEvents) ? assertedEvents.find(isNavigation) : undefined;
  return {
    ...(typeof timeout === "number" && { timeout }),
    ...(seen && {
      assertedEvents: [{ type: "navigation", ...(isWebUrl(seen.url) && { url: new URL(seen.url).origin }) }],
    }),
    ...(optional && { optional }),
  };
}

function whereOf({ selectors, selector, frame }: Record<string, unknown>): Where | string {
  const list = selectors ?? (selector === undefined ? undefined : [selector]);
  const isSelector = (one: unknown) =>
    isText(one) || (Array.isArray(one) && one.length > 0 && one.length <= MAX_ALTERNATIVES && one.every(isText));
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ALTERNATIVES || !list.every(isSelector))
    return `selectors must be a list of 1 to ${MAX_ALTERNATIVES} selectors, such as ["#user"] or [["aria/E-mail"]]`;
  if (
    frame !== undefined &&
    !(Array.isArray(frame) && frame.length <= 10 && frame.every((at) => Number.isInteger(at) && at >= 0))
  )
    return "frame must be a list of the numbers of frames within each other";
  return { selectors: list as Selectors, ...(frame !== undefined && { frame: frame as number[] }) };
}

function numbersOf(step: Record<string, unknown>, names: readonly string[]): object {
  return Object.fromEntries(names.flatMap((name) => (typeof step[name] === "number" ? [[name, step[name]]] : [])));
}

function isWebUrl(url: unknown): url is string {
  return isText(url) && /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Whether it is an object of JSON. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether it is a text that is neither empty nor too long for a step. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_TEXT;
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 4_000;
}

/** What a step does, for people: without the values that are typed, which may be secrets. */
export function describeStep(step: Step): string {
  return `${action(step)}${step.optional ? ", if it is there" : ""}`;
}

function action(step: Step): string {
  switch (step.type) {
    case "navigate":
      return `open ${originAndPath(step.url)}`;
    case "change":
      return `fill in ${nameOf(step)}`;
    case "waitForElement":
      return `wait for ${nameOf(step)}`;
    case "keyDown":
    case "keyUp":
      return `${step.type === "keyDown" ? "press" : "release"} a key`;
    case "scroll":
      return "scroll";
    case "setViewport":
      return `make the window ${step.width} × ${step.height}`;
    default:
      return `${step.type === "hover" ? "point at" : step.type === "click" ? "click" : "double-click"} ${nameOf(step)}`;
  }
}

function nameOf({ selectors }: Where): string {
  const [first = ""] = selectors;
  return typeof first === "string" ? first : first.join(" ");
}

/** A query may have a secret. */
function originAndPath(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** What is done on a page before it is judged. */
export type PageSteps = {
  /** A glob of the pages on which it is done; all without one. */
  url?: string;
  steps: readonly unknown[];
  /** For steps without their own, in ms. */
  timeout?: number;
};

/** The value of a secret, which these steps cannot have: they are shown with the report. */
const SECRET = /\$\{?[A-Za-z_]\w*/;

/**
 * Reads steps that are done on each page. The page is there already, with the window of the report's device: the recorder
 * begins with both, so that is left out.
 *
 * @returns the steps, or what is wrong with them
 */
export function readPageSteps(given: unknown): { steps: Step[] } | { faults: string[] } {
  const read = readSteps(given);
  if ("faults" in read) return read;
  const isStart = (step: Step, index: number) =>
    step.type === "navigate" && read.steps.slice(0, index).every(({ type }) => type === "setViewport");
  const faults = read.steps.flatMap((step, index) => {
    if (step.type === "navigate" && !isStart(step, index))
      return [`step ${index + 1}: navigate leaves the page that is to be checked; click what leads there instead`];
    if (step.type === "change" && SECRET.test(step.value))
      return [`step ${index + 1}: everybody who reads the report can see its value; only a sign-in may use secrets`];
    return [];
  });
  if (faults.length > 0) return { faults };
  const steps = read.steps.filter(({ type }) => type !== "navigate" && type !== "setViewport");
  return steps.length > 0 ? { steps } : { faults: ["the steps only open a page"] };
}

/** The entries of `prepare` or `states` as people give them: a list, one of them such as a recording, or the steps alone. */
export function stepEntries(given: unknown): unknown[] {
  if (!Array.isArray(given)) return [given];
  return given.some((one) => isRecord(one) && "type" in one) ? [{ steps: given }] : given;
}

/** Where steps and selectors of a definition are wrong, and how. */
export function stepFaults(spec: {
  hide?: readonly string[];
  prepare?: readonly PageSteps[];
  states?: readonly (PageSteps & { name: string })[];
}): { path: readonly [field: "hide" | "prepare" | "states", index: number, ...property: string[]]; message: string }[] {
  const { hide = [], prepare = [], states = [] } = spec;
  const ofSelectors = hide.flatMap((selector, index) => {
    const fault = selectorFault(selector);
    return fault === undefined
      ? []
      : [{ path: ["hide", index] as const, message: `${JSON.stringify(selector)} ${fault}` }];
  });
  const ofSteps = (field: "prepare" | "states") =>
    (field === "prepare" ? prepare : states).flatMap(({ steps, timeout }, index) => {
      const read = readPageSteps({ steps, ...(timeout !== undefined && { timeout }) });
      return "faults" in read ? [{ path: [field, index, "steps"] as const, message: read.faults.join("; ") }] : [];
    });
  const names = states.map(({ name }) => name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ path: ["states", index, "name"] as const, message: `${name} is the name of another state, too` }]
      : [],
  );
  return [...ofSelectors, ...ofSteps("prepare"), ...ofSteps("states"), ...twice];
}
