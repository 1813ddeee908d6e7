import { type OpenElement, ownText, tokens, value } from "../open-element.ts";
import { scriptKind } from "../scripts/script.ts";
import type { Subject } from "./policy.ts";

/** What an element fetches or contains, and what may allow it. */
export type Resource = { subject: Subject } & (
  | { url: string; nonce?: string | undefined; integrity?: string | undefined }
  | { text: string; nonce?: string | undefined; attribute?: string }
);

/** Attributes whose URL is fetched, by element, and for what. */
const FETCHED: ReadonlyMap<string, readonly [attribute: string, subject: Subject]> = new Map(
  Object.entries<readonly [attribute: string, subject: Subject]>({
    audio: ["src", "media"],
    embed: ["src", "object"],
    iframe: ["src", "frame"],
    img: ["src", "image"],
    object: ["data", "object"],
    video: ["src", "media"],
  }),
);

const HANDLERS: ReadonlySet<string> = new Set(
  (
    "abort animationcancel animationend animationiteration animationstart auxclick beforeinput beforematch beforetoggle " +
    "blur cancel canplay canplaythrough change click close command contextlost contextmenu contextrestored copy cuechange " +
    "cut dblclick drag dragend dragenter dragleave dragover dragstart drop durationchange emptied ended error focus " +
    "formdata gotpointercapture input invalid keydown keypress keyup load loadeddata loadedmetadata loadstart " +
    "lostpointercapture mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup paste pause play playing " +
    "pointercancel pointerdown pointerenter pointerleave pointermove pointerout pointerover pointerrawupdate pointerup " +
    "progress ratechange reset resize scroll scrollend securitypolicyviolation seeked seeking select slotchange stalled " +
    "submit suspend timeupdate toggle transitioncancel transitionend transitionrun transitionstart volumechange waiting wheel"
  )
    .split(" ")
    .map((event) => `on${event}`),
);

/** What a Content-Security-Policy may block of an HTML element. */
export function resourcesOf(open: OpenElement): Resource[] {
  const found: Resource[] = [];
  const [own] = ownResources(open);
  if (own) found.push(own);
  for (const { name, value: text, prefix } of open.element.attrs) {
    if (prefix || text === "") continue;
    if (name === "style") found.push({ subject: "style-attribute", text, attribute: name });
    else if (HANDLERS.has(name)) found.push({ subject: "event-handler", text, attribute: name });
  }
  return found;
}

function ownResources(open: OpenElement): Resource[] {
  const nonce = value(open, "nonce");
  if (open.name === "script") return scripts(open, nonce);
  if (open.name === "style") return isOfCss(open) ? inline("inline-style", ownText(open), nonce) : [];
  if (open.name === "link") return styleSheets(open, nonce);
  const [attribute, subject] = FETCHED.get(open.name) ?? [];
  if (!attribute || !subject || (open.name === "iframe" && value(open, "srcdoc") !== undefined)) return [];
  const url = value(open, attribute);
  return url ? [{ subject, url }] : [];
}

function scripts(open: OpenElement, nonce: string | undefined): Resource[] {
  const kind = scriptKind(open);
  // A data block is not run, and browsers that know modules do not run a script with "nomodule". Speculation rules have
  // a keyword of their own.
  if (kind === "data" || kind === "speculationrules" || value(open, "nomodule") !== undefined) return [];
  const url = value(open, "src");
  if (url === undefined) return inline("inline-script", ownText(open), nonce);
  const isFetched = url !== "" && (kind === "classic" || kind === "module");
  return isFetched ? [{ subject: "script", url, nonce, integrity: value(open, "integrity") }] : [];
}

function styleSheets(open: OpenElement, nonce: string | undefined): Resource[] {
  const url = value(open, "href");
  const isUsed = tokens(value(open, "rel")?.toLowerCase() ?? "").includes("stylesheet") && isOfCss(open);
  return isUsed && url && value(open, "disabled") === undefined ? [{ subject: "style-sheet", url, nonce }] : [];
}

function isOfCss(open: OpenElement): boolean {
  const type = value(open, "type")?.trim().toLowerCase() ?? "";
  return type === "" || type.startsWith("text/css");
}

function inline(subject: Subject, text: string, nonce: string | undefined): Resource[] {
  return text.trim() === "" ? [] : [{ subject, text, nonce }];
}
