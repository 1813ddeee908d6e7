import { hashRouteOf } from "../addresses/hash-route.ts";
import { ACTION, routeOf, simple } from "../sign-in/sign-in-page.ts";
import {
  additions,
  affirmations,
  ambiguousVerbs,
  consents,
  containers,
  formWords,
  machines,
  operations,
  plainVerbs,
  quantities,
  requests,
  states,
  TOKEN,
  TOKEN_BESIDE_VERB,
  textFolders,
  views,
} from "./words.ts";

/**
 * Says what a request for an address may change, from the address and the link that leads there. A crawler that has
 * signed in has the power of its account: what it asks for may only be what reading needs.
 */

export type Sign = {
  /** `acts` changes something, `form` opens a form, `maybe` has a sign of change in part. */
  kind: "acts" | "form" | "maybe";
  /** The sign in words, for people; it has no values of tokens. */
  text: string;
};

/** An address with values that look random, and the names of their parameters. */
export type Suspect = { url: string; family: string; names: string[] };

/** What is known of an address besides itself. */
export type Signs = {
  /** Whether the session's credentials go there. Without them, only a verb and a token together act. */
  signedIn: boolean;
  /** Parameters (`name=value`) that are no one-time tokens, because all links of a page carry them. */
  common?: ReadonlySet<string> | undefined;
  /** The parameter that was found to be one (tokens.ts). */
  token?: string | undefined;
};

/** What a report may ask for, by its settings and the credentials that it has. */
export type ActRule = {
  /** Whether credentials go to an address: a sign-in, Basic HTTP Authentication, cookies, headers and client certificates alike. */
  signedIn(url: string): boolean;
  /** What a request for an address does, as far as the report's settings care. */
  signOf(url: string): Sign | undefined;
  /** The same of a link, by its element and its text. */
  signOfLink(link: MarkedLink): { reason: "acts" | "signs_out"; text: string } | undefined;
  /** Why an address is left out; undefined if it is not. */
  leavesOut(url: string): { reason: "acts" | "forms"; text: string } | undefined;
  /** Whether there is a session that pages must not use for more than reading. */
  guardsPages: boolean;
  /** Whether a page that is only read may send a request. */
  maySend(request: SentRequest): boolean;
  /** Sees the links of a page of the session: what all of them carry is no token. */
  seeLinks(links: readonly string[], page: string): void;
  /**
   * Links of a page of the session that may have tokens which no name gives away: its links, when it is read again, tell. Each
   * is given once.
   */
  takeSuspects(links: readonly string[]): Suspect[];
  /** Whether an address of the session has a value that may be such a token. */
  isSuspect(url: string): boolean;
  learnTokens(suspects: readonly Suspect[], linksAgain: readonly string[]): void;
};

/** A link whose element, or text, may say more than its address. */
export type MarkedLink = { url: string; attributes: LinkAttributes; text: string };

export type SentRequest = {
  method: string;
  url: string;
  /** It has a header Authorization, wherever it goes. */
  authorized: boolean;
  /**
   * What it is for: a document is judged as a link is, and what a page consists of only by its method. What is sent over a
   * WebSocket, and by which token, nobody sees: wherever it goes, it is taken for no mere reading.
   */
  of: "document" | "part" | "script" | "socket";
};

/** The attributes by which a link says that it acts. */
export const actingAttributes = [
  ...["data-method", "data-confirm", "data-turbo-method", "data-turbo-confirm"],
  ...["hx-post", "hx-put", "hx-patch", "hx-delete", "onclick"],
] as const;
export type LinkAttributes = Partial<Record<string, string>>;

/** More parameters are not looked at: a trap has them. */
const MAX_PARAMETERS = 30;

/** What an address says that a request for it does; undefined for what only reads. @param href absolute */
export function signOf(href: string, signs: Signs): Sign | undefined {
  // Without a query there is no token, and nearly no address has one.
  if (!signs.signedIn && !href.includes("?")) return undefined;
  const url = URL.parse(href);
  if (!url) return undefined;
  // A view behind a # is an address of its own for the scripts that show it.
  const route = hashRouteOf(href).replace(/^#!?/, "");
  const view =
    route === "" ? undefined : signOf(URL.parse(route, url.origin)?.href ?? "", { ...signs, token: undefined });
  const named = view ? undefined : routeOf(url);
  return (
    view ??
    (named && signOfAddress(read(named, signs.common, true), signs)) ??
    signOfAddress(read(url, signs.common), signs)
  );
}

function signOfAddress(address: Address, { signedIn, token: found }: Signs): Sign | undefined {
  const verb = verbIn(address);
  const token = address.parameters.find(({ isToken }) => isToken)?.given ?? found;
  if (!signedIn) return verb && token ? acts(`${verb}, with a token (${token})`) : undefined;
  if (verb) return acts(token ? `${verb}, with a token (${token})` : verb);
  if (token && !(token !== found && showsView(address))) return acts(`a one-time token (${token})`);
  const form = formIn(address);
  if (form) return { kind: "form", text: form };
  const part = partIn(address);
  return part === undefined ? undefined : { kind: "maybe", text: part };
}

/** What the attributes of a link say: that it is followed by another method than GET, or asks for a confirmation first. */
export function signOfAttributes(attributes: LinkAttributes): Sign | undefined {
  const name = actingAttributes.find((one) => attributes[one] !== undefined && isActing(one, attributes[one].trim()));
  return name && acts(name.endsWith("method") ? `${name}=${attributes[name]}` : `the attribute ${name}`);
}

function isActing(name: string, value: string): boolean {
  if (name.endsWith("method")) return /^(?:post|put|patch|delete)$/i.test(value);
  if (name.endsWith("confirm")) return !/^(?:|false)$/i.test(value);
  return name !== "onclick" || /\bconfirm\s*\(/.test(value);
}

/** Whether a text, such as the name of a button, begins with a verb of change. */
export function namesChange(text: string): boolean {
  const [first = "", second = ""] = text.trim().split(/[\s…:,.!]+/, 2);
  return [first, first + second, text].some((one) => plainVerbs.has(simple(one)) || ambiguousVerbs.has(simple(one)));
}

/** The parameters that all links of a page carry with the same value, such as the id of a session, as `name=value`. */
export function commonParameters(links: readonly string[], page: string): string[] {
  const host = URL.parse(page)?.host;
  const own = links.flatMap((link) => {
    const url = URL.parse(link);
    return url?.host === host && url ? [new Set([...url.searchParams].map(pairOf))] : [];
  });
  const [first] = own;
  // Of a few links, each may act.
  if (!first || own.length < MIN_COMMON) return [];
  return [...first].filter((pair) => own.every((pairs) => pairs.has(pair)));
}
const MIN_COMMON = 4;

/**
 * Names the addresses of one form: path pattern, in which ids and the name of the object are left out, and names of
 * parameters, with the values of those that say what is to be done.
 */
export function familyOf(href: string): string {
  const url = URL.parse(href);
  if (!url) return href;
  const named = routeOf(url);
  const { segments, parameters } = read(named ?? url);
  const last = segments.at(-1);
  const saysAction = parameters.some(({ name, word }) => ACTION.has(name) && (formWords.has(word) || isVerb(word)));
  const isWord = (segment: Segment | undefined) =>
    segment !== undefined &&
    !saysAction &&
    (formWords.has(segment.word) || isVerb(segment.word) || verbWord(segment.written) !== undefined);
  const path = segments.map((segment, index) => {
    // The first one names what all of them are.
    const isBesideWord = index > 0 && index === segments.length - 2 && isWord(last);
    // A route names what a program does, not an object.
    const mayBeObject = saysAction || (index > 0 && parameters.length > 0);
    const isObject = segment === last && !named && !isWord(segment) && !segment.isScript && mayBeObject;
    return segment.isId || isBesideWord || isObject ? "*" : segment.written;
  });
  const names = parameters.map(({ given, name, word }) => (ACTION.has(name) ? `${given}=${word}` : given));
  return `${url.host}/${path.join("/")}?${[...new Set(names)].toSorted().join("&")}`;
}

function acts(text: string): Sign {
  return { kind: "acts", text };
}

type Segment = {
  written: string;
  word: string;
  isId: boolean;
  isScript: boolean;
  /** Written as a file, which may be a page about its name: `delete.html` */
  isPage: boolean;
};
type Parameter = { given: string; name: string; value: string; word: string; isToken: boolean };
type Address = {
  segments: Segment[];
  parameters: Parameter[];
  /** It is below a folder of texts, whose names are titles. */
  inText: boolean;
  /** Its path is that which a parameter names, as programs name what they do. */
  isRoute: boolean;
  /** A parameter names an object. */
  hasId: boolean;
};

function read(url: URL, common?: ReadonlySet<string>, isRoute = false): Address {
  const segments = url.pathname
    .split(/\/|%2f/i)
    .filter((part) => part !== "")
    .map((part): Segment => {
      const written = decoded(part.split(";", 1)[0] ?? "");
      const name = written.replace(SCRIPT, "");
      const isPage = PAGE.test(name);
      const word = simple(name.replace(PAGE, ""));
      return { written: name, word, isId: isId(name), isScript: name !== written, isPage };
    });
  // ?action=delete;id=7
  const search = new URLSearchParams(url.search.replace(/;(?=[\w.[\]-]+=)/g, "&"));
  const parameters = [...search].slice(0, MAX_PARAMETERS).map(([given, value]): Parameter => {
    // form[_token]
    const name = simple(/\[([^[\]]+)\](?:\[\])?$/.exec(given)?.[1] ?? given.replace(/\[\]$/, ""));
    const isToken = TOKEN.test(name) && value.length >= 2 && !common?.has(pairOf([given, value]));
    return { given, name, value, word: simple(value), isToken };
  });
  const inText = segments.some(({ word }) => textFolders.has(word));
  return { segments, parameters, inText, isRoute, hasId: parameters.some(isIdParameter) };
}

const SCRIPT = /\.(?:php\d?|aspx?|jsp|jsf|do|action|cgi|pl|cfm)$/i;
const PAGE = /\.(?:x?html?|json|xml|ajax)$/i;

/** A parameter as sets of them have it. */
export function pairOf([name, value]: readonly [string, string]): string {
  return `${name}=${value}`;
}

/** Where an address has a verb of change, in words. */
function verbIn(address: Address): string | undefined {
  const verb = verbOf(address);
  return address.parameters.map((one) => verbInParameter(one, address)).find(Boolean) ?? (verb && inPath(verb));
}

function verbInParameter(
  { given, name, value, word }: Parameter,
  { parameters, segments }: Address,
): string | undefined {
  if (additions.has(name)) return `"${given}" as a parameter`;
  if (additions.has(word)) return `"${value}" as its ${given}`;
  if (ACTION.has(name)) {
    const verb = isVerb(word) ? value : verbWord(value);
    if (verb !== undefined) return `"${verb}" as its ${given}`;
  }
  // The names of some are ?start=20: they need a token beside them.
  const hasToken = () => parameters.some((one) => one.isToken || TOKEN_BESIDE_VERB.test(one.name));
  const isAsked =
    requests.has(name) &&
    (value === "" ? segments.at(-1)?.isId : isId(value) || /^(?:true|yes|on|up|down)$/i.test(value));
  const isNamed =
    plainVerbs.has(name) || isAsked || verbNamed(given, value) || (ambiguousVerbs.has(name) && hasToken());
  return isNamed ? `"${given}" as a parameter` : undefined;
}

/** The segment of a path that is a verb: the last one, or one before an id. */
function verbOf(address: Address): Segment | undefined {
  const { segments, inText, isRoute, hasId } = address;
  const [container, before, last] = [segments.at(-3), segments.at(-2), segments.at(-1)];
  if (!last) return undefined;
  if (adds(last, before)) return last;
  // A script that is named by what it does with what: /delete_post.php?id=7
  if (hasId && (isVerb(last.word) ? !inText : (isRoute || last.isScript) && verbWord(last.written) !== undefined))
    return last;
  if (isPlain(last) && !inText && address.parameters.some(namesObject)) return last;
  if (!before) return undefined;
  // /posts/7/delete/confirm
  if (affirmations.has(last.word) && container && actsOn(container, before, inText)) return before;
  if (!inText && movesTo(before)) return before;
  if (isGiven(last)) return verbBefore(last, before, container, inText);
  return actsOn(before, last, inText) ? last : undefined;
}

/** A verb before an id or a random value. */
function verbBefore(
  id: Segment,
  before: Segment,
  container: Segment | undefined,
  inText: boolean,
): Segment | undefined {
  if (adds(before, container)) return before;
  if (inText) return undefined;
  if (isPlain(before)) return before;
  // /lists/3/add/5 puts one thing into another; /pages/add/blog/3 is a form.
  if (before.word === "add" && container !== undefined && isGiven(container)) return before;
  if (id.isId && !isYear(id) && (requests.has(before.word) || asksForObject(before.written))) return before;
  // /email/verify/3/…
  const asked = [before, ...(before.isId && container ? [container] : [])].find(({ written }) => asksConsent(written));
  return asked && isLong(id.written) ? asked : undefined;
}

/** `/cart/add` */
function adds({ word }: Segment, container: Segment | undefined): boolean {
  return additions.has(word) || (word === "add" && containers.has(container?.word ?? ""));
}

/** Whether a last segment is a verb that does something with the one before it: an id, or for plain verbs any object. */
function actsOn(object: Segment, verb: Segment, inText: boolean): boolean {
  const hasObject = !(inText || isTitle(verb, object) || object.isScript || verb.isPage);
  if (isPlain(verb)) return object.isId || hasObject;
  if (operations.has(verb.word) || machines.has(object.word)) return isVerb(verb.word) && (object.isId || hasObject);
  if (!object.isId || isYear(object) || inText) return false;
  return ambiguousVerbs.has(verb.word) || appoints(verb);
}

/** `move-to`, before the place */
function movesTo({ written }: Segment): boolean {
  const [first = "", ...others] = wordsOf(written).map(simple);
  return others.length === 1 && isVerb(first) && /^(?:in)?to$/.test(others[0] ?? "");
}

/** `set-default`, `make_admin`, `default_for_billing`: one of many becomes something. */
function appoints({ written }: Segment): boolean {
  const words = wordsOf(written).map(simple);
  return words.length > 1 && words.length <= MAX_WORDS && /^(?:set|make|default)$/.test(words[0] ?? "");
}

/** A verb that names nothing else: `delete`, `clear-all`, `mark-as-read`. */
function isPlain({ written, word }: Segment): boolean {
  const [first = "", ...others] = wordsOf(written).map(simple);
  const isOfAll = others.length > 0 && isVerb(first) && others.every((one) => quantities.has(one));
  return plainVerbs.has(word) || isOfAll || marks(written);
}

/** `mark-read`, `markAllAsRead`, `mark-messages-as-read`, `read-all` */
function marks(text: string): boolean {
  const [first, ...others] = wordsOf(text).map(simple);
  const [, glued = ""] = /^mark(?:all)?(?:as)?(.+)$/.exec(simple(text)) ?? [];
  return states.has(glued) || (first === "mark" && states.has(others.at(-1) ?? "")) || simple(text) === "readall";
}

/** `deletePost`, `remove_item` */
function asksForObject(written: string): boolean {
  const [first = "", ...others] = wordsOf(written).map(simple);
  return others.length === 1 && (plainVerbs.has(first) || requests.has(first));
}

/** Whether a segment is `verify`, or `verify-email`. */
function asksConsent(written: string): boolean {
  const words = wordsOf(written).map(simple);
  return words.length <= MAX_WORDS && [words.join(""), words[0], words.at(-1)].some((one) => consents.has(one ?? ""));
}

/** An id, or what somebody was given to show: letters and digits in one word. */
function isGiven({ isId, written }: Segment): boolean {
  return isId || /^(?=.*\d)(?=.*[a-z])\w{6,}$/i.test(written);
}

/** More than counts anything. */
function isLong(text: string): boolean {
  return text.length >= MIN_RANDOM && isId(text);
}
const MIN_RANDOM = 10;

function inPath({ written }: Segment): string {
  return `"${written}" in its path`;
}

/** `/w/Delete`, where `/Account/Delete` and `/account/DELETE` only have a style. */
function isTitle({ written }: Segment, { written: before }: Segment): boolean {
  return TITLE.test(written) && !(TITLE.test(before) && /^\p{L}+$/u.test(before));
}
const TITLE = /^\p{Lu}.*\p{Ll}/u;

/** Whether an action parameter says that something is shown. */
function showsView({ parameters }: Address): boolean {
  return parameters.some(({ name, word }) => ACTION.has(name) && views.has(word));
}

function formIn({ segments, parameters, hasId }: Address): string | undefined {
  const action = parameters.find(({ name, word }) => (ACTION.has(name) || /action$/.test(name)) && formWords.has(word));
  if (action) return `"${action.value}" as its ${action.given}`;
  // A list of posts is edit.php, too; and what is new, /new.
  const isForm = ({ written, word, isScript }: Segment): boolean => {
    const words = wordsOf(written);
    if (!isScript) return formWords.has(word) && segments.length > 1;
    return formWords.has(simple(words.at(-1) ?? "")) && (words.length > 1 || hasId);
  };
  const [before, last] = [segments.at(-2), segments.at(-1)];
  const found = [last, ...(last?.isId ? [before] : [])].find((segment) => segment && isForm(segment));
  return found && inPath(found);
}

/** A sign in part: a verb beside what may be an object, or one of few words beside an id. */
function partIn({ segments, inText, hasId }: Address): string | undefined {
  const [before, last] = [segments.at(-2), segments.at(-1)];
  if (!last || inText) return undefined;
  const verb = simple(verbWord(last.written) ?? "");
  const isPart =
    (before?.isId || hasId) && (plainVerbs.has(verb) || (isVerb(verb) && wordsOf(last.written).length === 2));
  const isObject = segments.length > 2 && ambiguousVerbs.has(last.word) && !TITLE.test(last.written);
  return isPart || isObject ? inPath(last) : undefined;
}

function isVerb(word: string): boolean {
  return plainVerbs.has(word) || ambiguousVerbs.has(word);
}

/** The name of a parameter that is a verb with an object: `remove_item`, `add-to-list=3`, `fn[delete]`. */
function verbNamed(name: string, value: string): boolean {
  const words = wordsOf(name).map(simple);
  const [first = "", ...others] = ACTION.has(words[0] ?? "") ? words.slice(1) : words;
  if (first === "add") return others.length > 0 && others.length < MAX_WORDS && value !== "";
  return marks(name) || (words.length > 1 && others.length <= 1 && plainVerbs.has(first));
}

/** A verb at the start or the end of a few words, as programs name what they do: `delete-selected`, `core_upgrade`. */
function verbWord(text: string): string | undefined {
  const words = wordsOf(text);
  if (marks(text)) return text;
  if (words.length === 1) return gluedVerb(text);
  if (words.length > MAX_WORDS) return undefined;
  // do-core-upgrade
  const isDone = simple(words[0] ?? "") === "do";
  const [first = "", last = ""] = [words[isDone ? 1 : 0], words.at(-1)];
  if (isVerb(simple(first))) return first;
  return plainVerbs.has(simple(last)) || (isDone && isVerb(simple(last))) ? last : undefined;
}
const MAX_WORDS = 3;

/** `approvecomment` */
function gluedVerb(text: string): string | undefined {
  const [, verb = ""] = GLUED.exec(text) ?? [];
  return isVerb(verb) ? verb : undefined;
}

const OBJECTS = "post|comment|user|item|plugin|theme|file|message|msg|order|entry|account|topic|product";
const GLUED = new RegExp(`^([a-z]{4,})(?:page|${OBJECTS})s?\\d?$`);
const ID_NAME = /(?:^|[_-])(?:id|pk|uid|guid|uuid)(?:\[\])?$|Id$|ID$/;
const NAMES_OBJECT = new RegExp(`^(?:${OBJECTS}|name|slug|path|key|email|title)$`);
const OBJECT_NAME = new RegExp(`^(?:${OBJECTS}|p|t|c)$`);

/** `deleteItem` is two words. */
function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1-$2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

function isIdParameter({ given, value }: Pick<Parameter, "given" | "value">): boolean {
  return value !== "" && (ID_NAME.test(given) || (OBJECT_NAME.test(given) && isId(value)));
}

/** Whether a parameter says with what: `?file=a.txt` */
function namesObject({ name, value }: Parameter): boolean {
  return value !== "" && NAMES_OBJECT.test(name);
}

/** Numbers, hexadecimal digests, UUIDs, and words with a number such as `post-7`: what names one of many. */
function isId(text: string): boolean {
  if (/^(?:\d+|[a-z]{1,12}[-_]\d+|[a-uw-z]\d{2,})$/i.test(text)) return true;
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return true;
  if (/^(?=.*\d)[0-9a-f]{8,}$/i.test(text) || RANDOM.test(text)) return true;
  // Base64, and values that are signed: eyJ0eXAi.eyJzdWIi.c2ln
  return (
    text.length >= 2 * MIN_RANDOM &&
    text.split(/[-.~=]+/).some((part) => part.length >= MIN_RANDOM && RANDOM.test(part))
  );
}

const RANDOM = /^(?=.*[a-z])(?=.*\d[a-z])(?=.*\d.*\d)\w{8,}$/i;

function isYear({ written }: Segment): boolean {
  return /^(?:19|20)\d\d$/.test(written);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
