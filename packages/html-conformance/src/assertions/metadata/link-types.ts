import { htmlSection } from "../../finding.ts";
import { near } from "../../messages/near.ts";
import { type DocumentRule, formatValue, type OpenElement, quoted, tokens, value } from "../open-element.ts";

const words = (text: string): readonly string[] => text.split(" ");

/** The link types of the HTML Standard by the elements that may have them. */
const OF_ALL = words("help license next prev search");
const OF_LINKS = words("alternate author privacy-policy terms-of-service");
const OF_LINK = words(
  "canonical dns-prefetch expect icon manifest modulepreload pingback preconnect prefetch preload stylesheet",
);
const OF_A = words("bookmark tag");
const OF_A_AND_FORM = words("external nofollow noopener noreferrer opener");
const STANDARD: Readonly<Record<string, readonly string[]>> = {
  link: [...OF_ALL, ...OF_LINKS, ...OF_LINK],
  a: [...OF_ALL, ...OF_LINKS, ...OF_A, ...OF_A_AND_FORM],
  form: [...OF_ALL, ...OF_A_AND_FORM],
};
const ALL: ReadonlySet<string> = new Set(Object.values(STANDARD).flat());

/** Synonyms that browsers know and authors must not use. */
const SYNONYMS = new Map([
  ["copyright", "license"],
  ["previous", "prev"],
]);

/**
 * Types that are registered elsewhere (the microformats page for existing rel values, the IANA's link relations), and
 * those of HTML 4. They are let pass on every link: registrations change.
 */
const REGISTERED: ReadonlySet<string> = new Set(
  words(
    "about acl acquaintance amphtml api-catalog appendix apple-touch-icon apple-touch-icon-precomposed " +
      "apple-touch-startup-image archived archives attachment authorization_endpoint blocked-by blog bookmarks c2pa-manifest " +
      "category chapter child chrome-webstore-item cite-as code-license code-repository co-resident co-worker colleague " +
      "collection compression-dictionary component contact content-license content-repository contents convertedfrom " +
      "create-form crush current date dct describedby describes directory disclosure discussion docs duplicate edit edit-form " +
      "edit-media edituri enclosure entry-content explain feedurl first fluid-icon friend geofeed glossary gtfs-realtime " +
      "gtfs-static home hosts hreflang hub image_src import in-reply-to index indieauth-metadata interface-contents " +
      "interface-query introspection issues item its-rules jslicense kin last latest-version linkset lrdd main mask-icon me meta " +
      "met micropub microsub monitor monitor-group muse neighbor next-archive nostr openid.delegate openid.server " +
      "openid2.local_id openid2.provider original p3pv1 parent payment permalink pgpkey powered-by predecessor-version " +
      "preprocessor prerender prev-archive preview profile publication publisher radioepg redirect_uri reference related " +
      "rendition replies reply-to restconf root ruleinput sbom schema.dc schema.dcterms section self service service-desc " +
      "service-doc service-meta serviceworker shortlink sibling sidebar sip-trunking-capability sitemap source sponsored spouse " +
      "standout start statistics status subresource subsection successor-version sunset sweetheart syndication target " +
      "terms-of-service timegate timemap timesheet toc token_endpoint top transformation type ugc unendorsed up user " +
      "vcalendar-parent vcalendar-sibling version-history via webmention webfinger widget wlwmanifest working-copy " +
      "working-copy-of yandex-tableau-widget",
  ),
);
/** Families of names: Dublin Core, and whatever has a colon, which is a URL or a name of RDFa. */
const FAMILY = /:|^(?:schema|dc|dcterms|dct)\./;

const SECTION = htmlSection("links.html#linkTypes");

/** The link types in `rel`: known ones, where they are allowed. */
export const watchLinkTypes: DocumentRule = (report) => ({
  names: ["a", "area", "form", "link"],
  open(open) {
    const rel = value(open, "rel");
    if (rel === undefined || !open.name) return;
    for (const token of tokens(rel)) {
      const problem = typeProblem(open, rel, token);
      if (problem) report(open, { rule: "bad-value/rel", section: SECTION, attribute: "rel", ...problem });
    }
  },
});

function typeProblem(
  open: OpenElement,
  rel: string,
  token: string,
): { message: string; section?: string; meant?: string | undefined } | undefined {
  const allowed = STANDARD[open.name === "area" ? "a" : open.name] ?? [];
  const type = token.toLowerCase();
  if (allowed.includes(type) || REGISTERED.has(type) || FAMILY.test(type)) return undefined;
  if (type === "shortcut" && open.name === "link") return shortcutProblem(rel);
  if (ALL.has(type))
    return { message: `The link type "${type}" is not allowed on <${open.name}>; it is for ${elementsOf(type)}.` };
  if (SYNONYMS.has(type))
    return { message: `The link type "${type}" must not be used; it is an old name of "${SYNONYMS.get(type)}".` };
  return unknown(rel, token, allowed);
}

function shortcutProblem(rel: string): { message: string; section: string } | undefined {
  if (rel.toLowerCase() === "shortcut icon") return undefined;
  return {
    message: `The value "${formatValue(rel)}" of the attribute "rel" has "shortcut", which is allowed only in "shortcut icon".`,
    section: htmlSection("links.html#rel-icon"),
  };
}

function unknown(
  rel: string,
  token: string,
  allowed: readonly string[],
): { message: string; meant: string | undefined } {
  const meant = near(token.toLowerCase(), allowed);
  const hint = meant ? ` Did you mean "${meant}"?` : "";
  return {
    message: `"${formatValue(token)}" in the attribute "rel" is not a link type of the HTML Standard, and not a registered one.${hint}`,
    meant: meant && rel.replace(token, meant),
  };
}

function elementsOf(type: string): string {
  const names = Object.keys(STANDARD).filter((name) => STANDARD[name]?.includes(type));
  return quoted(names.flatMap((name) => (name === "a" ? ["a", "area"] : [name]))).replaceAll(/"(\w+)"/g, "<$1>");
}
