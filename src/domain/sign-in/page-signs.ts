import { Tokenizer } from "htmlparser2";
import { asksToSignIn, type FormSigns, isSignInAddress, type PageSigns } from "./sign-in-page.ts";

/** Characters that are read: what asks to sign in has less than this. */
export const MAX_READ = 300_000;
/** Longer texts and values say nothing about a sign-in. */
const MAX_TEXT = 200;
/** More words make no difference. */
const MAX_WORDS = 200;
const MAX_HEADINGS = 5;
const MAX_FORMS = 20;

type Tag = { name: string; given: Partial<Record<string, string>> };

const read: readonly string[] = [
  ...["action", "autocomplete", "class", "content", "hidden", "href", "id", "name", "placeholder", "role", "style"],
  ...["type", "value", "aria-label", "open", "shadowrootmode"],
];
const VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
/** Elements whose text nobody reads there. */
const UNREAD = /^(script|style|noscript|template|option|textarea)$/;
/** Elements whose text is kept. */
const NAMED = /^(title|h1|h2|button|a)$/;
/** Elements that a page's content begins with. */
const CONTENT = /^(h1|main|article)$/;
const ASIDE = /^(header|nav|aside|footer|dialog)$/;
/** Classes and ids of what is beside the content, or shown only when asked for. */
const ASIDE_TOKEN =
  /^(header|top|topbar|top-bar|nav|navbar|menu|sidebar|side|footer|modal|popup|offcanvas|dropdown|dropdown-menu|drawer|toolbar|banner|(site|page|main|global)[-_]?(header|nav|menu|footer))$/i;
const USER = /user|login|logon|mail|account|konto|name|identifier|phone|tel|member|customer|kunde|usuario|utilisateur/i;
const SERVICE =
  /^(continue|weiter|continuer|continuar|sign in|log in|anmelden|connexion)\b.{0,30}\b(google|microsoft|github|gitlab|apple|facebook|okta|saml|sso|openid|linkedin|azure)\b/i;

/** Whether a document has what every sign-in at its own address has: most have not, and need not be read. */
export function maySignIn(source: string): boolean {
  if (/\btype\s*=\s*["']?password/i.test(source)) return true;
  return [...source.slice(0, MAX_READ).matchAll(/<(?:title|h1|h2)\b/gi)].slice(0, MAX_HEADINGS).some(({ index }) => {
    const [text = ""] = source.slice(index, index + 400).split(/<\/(?:title|h1|h2)/i, 1);
    return asksToSignIn(text.replace(/<[^>]*>/g, " ").trim());
  });
}

/** Whether a document without links has nothing that could be seen before its scripts run: they make the page. */
export function isShell(source: string): boolean {
  if (source.length > MAX_READ || !/<script\b/i.test(source)) return false;
  if (/<(img|svg|picture|video|audio|canvas|object|embed|i?frame|input|textarea|select|button)\b/i.test(source))
    return false;
  return readSigns(source).words === 0;
}

/** What a document shows of what may be a sign-in. @param source HTML, as received or as rendered */
export function readSigns(source: string): PageSigns {
  const text = source.length > MAX_READ ? source.slice(0, MAX_READ) : source;
  const found: PageSigns = { title: "", headings: [], forms: [], services: 0, words: 0, links: 0, noindex: false };
  const reader = createReader(found);
  let tag: Tag | undefined;
  let attribute = "";
  let value = "";
  const ignore = (): void => {};
  const end = (): void => {
    if (tag) reader.open(tag);
    tag = undefined;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      isInForeignContext: () => false,
      onopentagname(from, to) {
        tag = { name: to - from <= 20 ? text.slice(from, to).toLowerCase() : "", given: {} };
      },
      onattribname(from, to) {
        value = "";
        const name = to - from <= 14 ? text.slice(from, to).toLowerCase() : "";
        attribute = read.includes(name) ? name : "";
      },
      onattribdata(from, to) {
        if (attribute !== "" && value.length < MAX_TEXT) value += text.slice(from, Math.min(to, from + MAX_TEXT));
      },
      onattribentity(codepoint) {
        if (attribute !== "" && value.length < MAX_TEXT) value += String.fromCodePoint(codepoint);
      },
      onattribend() {
        if (tag && attribute !== "") tag.given[attribute] ??= value;
        attribute = "";
      },
      onopentagend: end,
      onselfclosingtag: end,
      onclosetag: (from, to) => reader.close(to - from <= 20 ? text.slice(from, to).trim().toLowerCase() : ""),
      ontext: (from, to) => reader.text(text.slice(from, to)),
      ontextentity: (codepoint) => reader.text(String.fromCodePoint(codepoint)),
      oncomment: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(text);
  tokenizer.end();
  reader.end();
  return found;
}

/** An element with all that is in it: known by the number of elements of its name that are open in it. */
type Region = { name: string; depth: number };

type OpenForm = FormSigns & { isLoose: boolean };

const emptyForm = (action: string, isLoose: boolean): OpenForm => {
  return { action, passwords: 0, newPasswords: 0, users: 0, others: 0, submit: "", isAside: false, isLoose };
};

function createReader(found: PageSigns) {
  let aside: Region | undefined;
  let unread: Region | undefined;
  let captured: { name: string; text: string; href: string } | undefined;
  /** Fields without a form are those of a form, too. */
  const loose = emptyForm("", true);
  let form: OpenForm = loose;
  let hasContent = false;
  const before: FormSigns[] = [];
  /** The content has ended: a form after it is not in it. */
  let isOver = false;

  const meetContent = (): void => {
    // A form that came before the content is not the content.
    for (const early of before.splice(0)) early.isAside = true;
    hasContent = true;
  };
  const endForm = (): void => {
    if (form.isLoose) return;
    if (!hasContent) before.push(form);
    form = loose;
  };
  const endCapture = (): void => {
    if (!captured) return;
    const { name, href } = captured;
    const text = captured.text.replace(/\s+/g, " ").trim();
    captured = undefined;
    if (name === "title") found.title ||= text;
    else if (name === "h1" || name === "h2") {
      if (found.headings.length < MAX_HEADINGS && !aside) found.headings.push(text);
    } else takeButton(text, name, href);
  };
  const takeButton = (text: string, name: string, href: string): void => {
    if (aside) return;
    if (
      SERVICE.test(text) ||
      (/\b(google|microsoft|github|gitlab|saml|sso|openid|oidc)\b/i.test(href) && isSignInPath(href))
    )
      found.services += 1;
    if (name === "button" && (form.submit === "" || asksToSignIn(text))) form.submit = text;
  };
  const takeInput = ({ given }: Tag): void => {
    const { type = "text", autocomplete = "", value = "" } = given;
    const kind = type.toLowerCase();
    if (/^(hidden|checkbox|radio|reset|image|range|color)$/.test(kind)) return;
    if (kind === "submit" || kind === "button") {
      if (form.submit === "" || asksToSignIn(value)) form.submit = value;
    } else if (kind === "password") {
      if (/new-password/i.test(autocomplete)) form.newPasswords += 1;
      else form.passwords += 1;
    } else if (isUser(given, kind)) form.users += 1;
    else form.others += 1;
  };

  const takeForm = ({ action = "" }: Tag["given"]): void => {
    endForm();
    form = { ...emptyForm(action, false), isAside: aside !== undefined || isOver };
    if (found.forms.length < MAX_FORMS) found.forms.push(form);
  };
  const takeField = (tag: Tag): void => {
    if (aside && !form.isAside) return;
    if (tag.name === "input") takeInput(tag);
    else form.others += 1;
  };
  const take = (tag: Tag): void => {
    const { name, given } = tag;
    if (name === "a") found.links += Number(given.href !== undefined);
    else if (name === "form") takeForm(given);
    else if (name === "input" || name === "select" || name === "textarea") takeField(tag);
    else if (name === "meta" && given.name?.toLowerCase() === "robots")
      found.noindex ||= /noindex|none/i.test(given.content ?? "");
    else if (!aside && CONTENT.test(name)) meetContent();
  };
  /** Enters an element that is beside the content, or one in it of the same name. */
  const enter = (tag: Tag): void => {
    if (aside?.name === tag.name && !VOID.test(tag.name)) aside.depth += 1;
    else if (!aside && isAside(tag)) aside = { name: tag.name, depth: 1 };
  };
  const isUnread = (name: string): boolean => {
    if (unread?.name === name) unread.depth += 1;
    return unread !== undefined;
  };

  return {
    open(tag: Tag): void {
      const { name, given } = tag;
      if (isUnread(name)) return;
      enter(tag);
      if (NAMED.test(name)) {
        endCapture();
        captured = { name, text: given["aria-label"] ?? "", href: given.href ?? "" };
      }
      take(tag);
      // A template with a shadow root is what is shown.
      if (UNREAD.test(name) && given.shadowrootmode === undefined) unread = { name, depth: 1 };
    },
    close(name: string): void {
      if (unread) {
        if (name === unread.name && --unread.depth === 0) unread = undefined;
        return;
      }
      if (captured?.name === name) endCapture();
      if (name === "form") endForm();
      else if ((name === "main" || name === "article") && !aside) isOver = true;
      if (aside?.name === name && --aside.depth === 0) aside = undefined;
    },
    text(text: string): void {
      if (unread) return;
      if (captured && captured.text.length < MAX_TEXT) captured.text += text.slice(0, MAX_TEXT);
      if (captured?.name !== "title" && found.words < MAX_WORDS) found.words += countWords(text);
    },
    end(): void {
      endCapture();
      endForm();
      if (loose.passwords + loose.users > 0) found.forms.push(loose);
    },
  };
}

function isUser({ name = "", id = "", placeholder = "", autocomplete = "" }: Tag["given"], kind: string): boolean {
  if (kind === "email" || /username|email/i.test(autocomplete)) return true;
  if (kind !== "text" && kind !== "tel" && kind !== "") return false;
  return USER.test(name) || USER.test(id) || USER.test(placeholder) || name.length === 1;
}

/** Whether an element is beside the content, or shown only when somebody asks for it. */
function isAside({ name, given }: Tag): boolean {
  if (ASIDE.test(name)) return !(name === "dialog" && given.open !== undefined);
  if (name === "input" || name === "body" || name === "html" || VOID.test(name)) return false;
  if (given.hidden !== undefined || /display\s*:\s*none/i.test(given.style ?? "")) return true;
  if (/^(banner|navigation|complementary|contentinfo)$/.test(given.role ?? "")) return true;
  return (
    /^(div|section|ul|form|td)$/.test(name) && [given.class, given.id].some((tokens) => hasAsideToken(tokens ?? ""))
  );
}

function hasAsideToken(tokens: string): boolean {
  return tokens !== "" && tokens.split(/\s+/).some((token) => ASIDE_TOKEN.test(token));
}

function isSignInPath(href: string): boolean {
  return isSignInAddress(URL.parse(href, "http://any/")?.href ?? "");
}

/** Two characters are about a word in scripts that do not separate words. */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,2}/g;

function countWords(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  return unspaced > 0 ? unspaced : (text.match(/\S+/g)?.length ?? 0);
}
