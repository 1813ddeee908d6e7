import type { Preset } from "../../src/grammar/preset.ts";

/** A kind of document: what it is made of, and what is done to it. */
export type Category = {
  preset: Preset;
  contentType: string;
  /** How many of a hundred families. */
  share: number;
  elements?: ReadonlySet<string>;
  attributes?: ReadonlySet<string>;
  attributesPerElement: number;
  size: number;
  /** Elements that are taken out. */
  without?: ReadonlySet<string>;
  /** What the documents are changed by, beside what the grammar derives. */
  mutations: "tree" | "values" | "source" | "characters" | "css";
};

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const html = { preset: "html", contentType: "text/html; charset=utf-8", attributesPerElement: 0.7, size: 12 } as const;
const aria =
  "role aria-label aria-labelledby aria-hidden aria-expanded aria-checked aria-pressed aria-selected aria-disabled aria-required aria-readonly aria-level aria-controls aria-owns aria-haspopup aria-current aria-valuenow aria-activedescendant aria-describedby tabindex";
const sections = "article section nav aside header footer main h1 h2 h3 h4 h5 h6 hgroup address search div";

/** Each feature of the language, in about the proportion in which checkers are tested on it. */
export const categories: Record<string, Category> = {
  structure: { ...html, share: 12, mutations: "tree" },
  attributes: { ...html, share: 8, attributesPerElement: 3, size: 5, mutations: "tree" },
  values: { ...html, share: 26, attributesPerElement: 0.5, size: 0, mutations: "values" },
  aria: {
    ...html,
    share: 8,
    attributesPerElement: 0.5,
    elements: names(
      "div span p a button input li ul ol img nav main section h2 table tr td label select option details summary form article",
    ),
    attributes: names(aria),
    mutations: "tree",
  },
  tables: {
    ...html,
    share: 4,
    size: 25,
    elements: names("table caption colgroup col thead tbody tfoot tr td th"),
    attributes: names("colspan rowspan span headers id scope"),
    mutations: "tree",
  },
  forms: {
    ...html,
    share: 5,
    elements: names(
      "form label input button select option optgroup legend fieldset textarea output datalist meter progress selectedcontent",
    ),
    attributes: names("id for name type list form value min max required multiple size selected autocomplete disabled"),
    mutations: "tree",
  },
  sections: {
    ...html,
    share: 4,
    elements: names(sections),
    attributes: names("headingoffset headingreset"),
    mutations: "tree",
  },
  media: {
    ...html,
    share: 4,
    elements: names("picture source img video audio track figure figcaption iframe embed object map area svg a"),
    attributes: names("src srcset sizes media type alt usemap loading default kind href name width height"),
    mutations: "tree",
  },
  metadata: {
    ...html,
    share: 5,
    size: 8,
    elements: names("meta link script style base title noscript template"),
    attributes: names(
      "rel href as type media name content http-equiv charset property itemprop src async defer integrity sizes imagesrcset",
    ),
    mutations: "tree",
  },
  microdata: {
    ...html,
    share: 3,
    elements: names("div span a meta link p time data"),
    attributes: names("itemscope itemprop itemtype itemid itemref id"),
    mutations: "tree",
  },
  rdfa: {
    ...html,
    share: 2,
    elements: names("div span a meta link p time"),
    attributes: names("vocab typeof property resource prefix rel rev about content datatype inlist"),
    mutations: "tree",
  },
  css: { ...html, share: 3, size: 4, elements: names("style div p"), attributes: names("style"), mutations: "css" },
  syntax: { ...html, share: 7, mutations: "source" },
  characters: { ...html, share: 2, size: 6, mutations: "characters" },
  foreign: {
    ...html,
    share: 3,
    elements: names(
      "svg g path rect a text title desc use math mrow mi mo mn foreignObject linearGradient stop filter",
    ),
    attributesPerElement: 1,
    mutations: "tree",
  },
  xhtml: { ...html, preset: "xhtml", contentType: "application/xhtml+xml; charset=utf-8", share: 2, mutations: "tree" },
  "xhtml-syntax": {
    ...html,
    preset: "xhtml",
    contentType: "application/xhtml+xml; charset=utf-8",
    share: 1,
    mutations: "source",
  },
  svg: {
    ...html,
    preset: "svg",
    contentType: "image/svg+xml; charset=utf-8",
    share: 1,
    attributesPerElement: 1,
    // In SVG on its own Nu takes what is in a template as its children, and knows no custom elements.
    without: names("template x-item"),
    mutations: "tree",
  },
};

/** What the language no longer has: valid documents have none of it. */
export const obsolete = {
  elements: names(
    "font big strike tt acronym applet param keygen bgsound isindex listing menuitem nextid noembed plaintext xmp blink marquee multicol nobr spacer center basefont dir noframes frame frameset rb rtc",
  ),
  attributes: names(
    "align bgcolor border cellpadding cellspacing valign vspace hspace nowrap noshade clear compact link vlink alink text background marginheight marginwidth topmargin leftmargin bottommargin rightmargin frameborder scrolling allowtransparency language event charset char charoff abbr axis rules frame summary profile version rev coords scheme target longdesc classid codebase codetype archive declare standby code object datasrc datafld dataformatas methods urn ismap contextmenu dropzone onshow hreflang shape bordercolor hidefocus typemustmatch manifest",
  ),
};
