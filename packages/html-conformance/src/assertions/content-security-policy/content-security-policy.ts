import { type DocumentRule, formatValue, is, type OpenElement, value } from "../open-element.ts";
import { allowsInline, allowsIntegrity, allowsNonce } from "./inline.ts";
import { type Directive, directiveFor, type Policy, parsePolicy, type Subject } from "./policy.ts";
import { type Resource, resourcesOf } from "./resources.ts";
import { allowsUrl } from "./urls.ts";

const SECTION = "https://www.w3.org/TR/CSP3/#meta-element";
/** Schemes of URLs that are fetched, rather than created in the document. */
const FETCHED = new Set(["http:", "https:", "data:"]);
/** The most characters of source lists that are read for one document, which bounds the time. */
const MAX_CHARACTERS = 5_000_000;

const NOUNS: Readonly<Record<Subject, string>> = {
  script: "the script",
  "inline-script": "this inline script",
  "event-handler": "the event handler",
  "style-sheet": "the style sheet",
  "inline-style": "this <style>",
  "style-attribute": "the attribute",
  image: "the image",
  frame: "the frame",
  object: "the object",
  media: "the media resource",
};

/**
 * Reports what a policy in a `<meta>` of the head blocks of the content after it.
 *
 * @see CSP Level 3, 3.3 The <meta> element
 */
export const watchContentSecurityPolicy: DocumentRule = (report, { url: address }) => {
  const policies: Policy[] = [];
  const self = webAddress(address);
  let base: URL | undefined = self;
  let hasBase = false;
  let characters = 0;

  return {
    open(open) {
      if (!open.name) return;
      if (open.name === "base") takeBase(open);
      else if (open.name === "meta") takePolicy(open);
      if (policies.length > 0) for (const resource of resourcesOf(open)) check(open, resource);
    },
  };

  function check(open: OpenElement, resource: Resource): void {
    for (const policy of policies) {
      if (characters > MAX_CHARACTERS) return;
      const directive = directiveFor(policy, resource.subject);
      // A policy that does not mention the resource costs time, too.
      characters += (directive?.length ?? 0) + 1;
      if (!directive || allows(policy, directive, resource)) continue;
      report(open, problemOf(directive, resource));
      return;
    }
  }

  function takeBase(open: OpenElement): void {
    const href = value(open, "href");
    if (hasBase || href === undefined) return;
    hasBase = true;
    base = webAddress(href, base) ?? base;
  }

  function takePolicy(open: OpenElement): void {
    if (open.parent?.name !== "head" || !is(open, "http-equiv", "content-security-policy")) return;
    const content = value(open, "content");
    if (content) policies.push(parsePolicy(content));
  }

  function allows(policy: Policy, { sources: list }: Directive, resource: Resource): boolean {
    if ("text" in resource) return allowsInline(list, resource.subject, resource.text, resource.nonce);
    if (allowsNonce(list, resource.nonce) || allowsIntegrity(list, resource.integrity)) return true;
    const lower = list.map((source) => source.toLowerCase());
    // Where scripts are trusted by nonce and hash, their addresses do not count.
    if (resource.subject === "script" && lower.includes("'strict-dynamic'")) return false;
    const target = parse(resource.url, base);
    // The document's address is unknown, but nothing is allowed.
    if (target === undefined) return !(base === undefined && isRelative(resource.url) && isNone(lower));
    if (!FETCHED.has(target.protocol)) return true;
    if (allowsUrl(list, target, self)) return true;
    return isUpgraded(policy, resource.subject, target) && allowsUrl(list, secure(target), self);
  }

  function isUpgraded(policy: Policy, subject: Subject, target: URL): boolean {
    if (target.protocol !== "http:") return false;
    const isPassive = subject === "image" || subject === "media";
    return policy.has("upgrade-insecure-requests") || (isPassive && self?.protocol === "https:");
  }
};

function parse(url: string, base: URL | undefined): URL | undefined {
  // URL.parse is newer than the oldest Node.
  return URL.canParse(url, base?.href) ? new URL(url, base) : undefined;
}

/** A URL on http or https: only such documents have a known address. */
function webAddress(url: string, base?: URL): URL | undefined {
  const parsed = parse(url, base);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed : undefined;
}

function isRelative(url: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(url.trim());
}

function isNone(sources: readonly string[]): boolean {
  return sources.every((source) => source === "'none'");
}

function secure(url: URL): URL {
  const changed = new URL(url);
  changed.protocol = "https:";
  return changed;
}

function problemOf({ name, sources }: Directive, resource: Resource) {
  const noun = NOUNS[resource.subject];
  const attribute = "attribute" in resource ? resource.attribute : undefined;
  const what = "url" in resource ? ` "${formatValue(resource.url)}"` : attribute ? ` "${attribute}"` : "";
  return {
    severity: "warning" as const,
    rule: `content-security-policy/${resource.subject}`,
    message: `The Content-Security-Policy of this document blocks ${noun}${what}: it is not allowed by "${formatValue([name, ...sources].join(" "))}".`,
    section: SECTION,
    ...(attribute && { attribute }),
  };
}
