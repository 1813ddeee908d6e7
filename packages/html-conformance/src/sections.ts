import { htmlSection } from "./finding.ts";
import { HTML, MATHML, SVG } from "./tree.ts";

const byWord = <T>(table: Readonly<Record<string, T>>): Map<string, T> =>
  new Map(Object.entries(table).flatMap(([words, value]) => words.split(" ").map((word) => [word, value] as const)));

/** The pages of the standard that describe elements. */
const PAGES = byWord({
  "html head title base link meta style": "semantics",
  "article aside nav section h1 h2 h3 h4 h5 h6 hgroup header footer address body": "sections",
  "p hr pre blockquote ol ul menu li dl dt dd figure figcaption main search div": "grouping-content",
  "a abbr b bdi bdo br cite code data dfn em i kbd mark q rp rt ruby s samp small span strong sub sup time u var wbr":
    "text-level-semantics",
  "ins del": "edits",
  "img picture source": "embedded-content",
  "iframe embed object": "iframe-embed-object",
  "audio video track": "media",
  "map area": "image-maps",
  "table caption colgroup col tbody thead tfoot tr td th": "tables",
  "form label": "forms",
  input: "input",
  "button select datalist optgroup option textarea output progress meter fieldset legend selectedcontent":
    "form-elements",
  "details summary dialog": "interactive-elements",
  "script noscript template slot": "scripting",
  canvas: "canvas",
});

/** Attributes that the standard describes with their element, as `attr-<element>-<attribute>`. */
const OWN = new Map(
  Object.entries({
    abbr: "title",
    area: "alt coords shape",
    base: "href target",
    blockquote: "cite",
    button: "command commandfor type value",
    canvas: "height width",
    col: "span",
    colgroup: "span",
    data: "value",
    details: "name open",
    dfn: "title",
    dialog: "closedby open",
    embed: "src type",
    fieldset: "disabled",
    form: "accept-charset autocomplete name",
    iframe: "allow allowfullscreen loading name referrerpolicy sandbox src srcdoc",
    img: "alt controls crossorigin decoding fetchpriority ismap loading referrerpolicy sizes src srcset",
    input:
      "accept alpha alt checked colorspace list max maxlength min minlength multiple pattern placeholder readonly required " +
      "size src step title type value",
    label: "for",
    li: "value",
    link:
      "as blocking color crossorigin disabled fetchpriority href hreflang imagesizes imagesrcset integrity media " +
      "referrerpolicy rel sizes title type",
    map: "name",
    meta: "charset content http-equiv media name",
    meter: "high low max min optimum value",
    object: "data name type",
    ol: "reversed start type",
    optgroup: "disabled label",
    option: "disabled label selected value",
    output: "for",
    progress: "max value",
    q: "cite",
    script: "async blocking crossorigin defer fetchpriority integrity nomodule referrerpolicy src type",
    select: "multiple required size",
    slot: "name",
    source: "media sizes src srcset type",
    style: "blocking media title",
    template:
      "for shadowrootclonable shadowrootcustomelementregistry shadowrootdelegatesfocus shadowrootmode " +
      "shadowrootserializable shadowrootslotassignment",
    textarea: "cols maxlength minlength placeholder readonly required rows wrap",
    th: "abbr scope",
    time: "datetime",
    track: "default kind label src srclang",
    video: "playsinline poster",
  }).map(([element, attributes]) => [element, new Set(attributes.split(" "))] as const),
);

/** Attributes that several elements share: the elements, the attributes, and the place; `*` stands for the name. */
const SHARED: readonly (readonly [elements: string, attributes: string, fragment: string])[] = [
  ["a area", "ping", "links.html#ping"],
  ["a area", "download href hreflang referrerpolicy rel target type", "links.html#attr-hyperlink-*"],
  ["audio video", "autoplay controls crossorigin loading loop muted preload src", "media.html#attr-media-*"],
  ["bdo", "dir", "text-level-semantics.html#the-bdo-element"],
  ["button input", "popovertarget popovertargetaction", "popover.html#attr-*"],
  [
    "button input form",
    "action enctype formaction formenctype formmethod formnovalidate formtarget method novalidate target",
    "form-control-infrastructure.html#attr-fs-*",
  ],
  ["button fieldset input object output select textarea", "form", "form-control-infrastructure.html#attr-fae-form"],
  [
    "button fieldset input output select textarea",
    "autocomplete dirname disabled name",
    "form-control-infrastructure.html#attr-fe-*",
  ],
  ["del ins", "cite datetime", "edits.html#attr-mod-*"],
  ["embed iframe img input object source video", "height width", "embedded-content-other.html#attr-dim-*"],
  ["img", "usemap", "image-maps.html#attr-hyperlink-usemap"],
  ["td th", "colspan headers rowspan", "tables.html#attr-tdth-*"],
];

/** Attributes of every element. */
const GLOBAL = byWord({
  "dir lang slot style title translate": "dom.html#attr-*",
  "autocapitalize autocorrect contenteditable enterkeyhint hidden inputmode spellcheck tabindex writingsuggestions":
    "interaction.html#attr-*",
  "itemid itemref itemscope itemtype": "microdata.html#attr-*",
  accesskey: "interaction.html#the-accesskey-attribute",
  autofocus: "interaction.html#attr-fe-autofocus",
  class: "dom.html#classes",
  draggable: "dnd.html#attr-draggable",
  "headingoffset headingreset": "sections.html#attr-*",
  id: "dom.html#the-id-attribute",
  inert: "interaction.html#the-inert-attribute",
  is: "custom-elements.html#attr-is",
  itemprop: "microdata.html#names:-the-itemprop-attribute",
  nonce: "urls-and-fetching.html#attr-nonce",
  popover: "popover.html#attr-popover",
  "xmlns xml:lang": "dom.html#global-attributes",
});

const HANDLERS = "webappapis.html#event-handlers-on-elements,-document-objects,-and-window-objects";
const RDFA: ReadonlySet<string> = new Set(
  "about content datatype inlist prefix property resource rev typeof vocab".split(" "),
);
const OTHER_LANGUAGES: ReadonlyMap<string, string> = new Map([
  [SVG, "https://www.w3.org/TR/SVG2/"],
  [MATHML, "https://www.w3.org/TR/mathml-core/"],
]);

export const OBSOLETE = htmlSection("obsolete.html#non-conforming-features");

/** Where the standard describes an HTML element. */
export function elementSection(name: string): string {
  const page = PAGES.get(name);
  if (!page) return name.includes("-") ? htmlSection("custom-elements.html#custom-elements") : OBSOLETE;
  if (name === "sub" || name === "sup") return htmlSection(`${page}.html#the-sub-and-sup-elements`);
  const fragment = /^h[1-6]$/.test(name) ? "the-h1,-h2,-h3,-h4,-h5,-and-h6-elements" : `the-${name}-element`;
  return htmlSection(`${page}.html#${fragment}`);
}

/** Where an element of any language is described. */
export function sectionOf({ namespaceURI, tagName }: { namespaceURI: string; tagName: string }): string {
  const other = OTHER_LANGUAGES.get(namespaceURI);
  if (namespaceURI === SVG) return `${other}eltindex.html`;
  return other ?? elementSection(tagName);
}

/** Where an attribute of an element is described; otherwise where the element is. */
export function attributeSection(element: { namespaceURI: string; tagName: string }, attribute: string): string {
  const { namespaceURI, tagName } = element;
  if (attribute.startsWith("aria-")) return `https://www.w3.org/TR/wai-aria-1.2/#${attribute}`;
  if (attribute === "role") return "https://www.w3.org/TR/html-aria/#docconformance";
  if (namespaceURI === SVG) return `${OTHER_LANGUAGES.get(SVG)}attindex.html`;
  if (namespaceURI !== HTML) return sectionOf(element);
  if (OWN.get(tagName)?.has(attribute)) return htmlSection(`${PAGES.get(tagName)}.html#attr-${tagName}-${attribute}`);
  const fragment = sharedFragment(tagName, attribute) ?? GLOBAL.get(attribute);
  if (fragment) return htmlSection(fragment.replace("*", attribute));
  if (/^on[a-z]/.test(attribute)) return htmlSection(HANDLERS);
  return RDFA.has(attribute) ? "https://www.w3.org/TR/rdfa-core/#s_syntax" : sectionOf(element);
}

function sharedFragment(element: string, attribute: string): string | undefined {
  return SHARED.find(([elements, attributes]) => hasWord(elements, element) && hasWord(attributes, attribute))?.[2];
}

function hasWord(words: string, word: string): boolean {
  return words.split(" ").includes(word);
}
