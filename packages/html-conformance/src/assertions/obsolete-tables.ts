/** Elements that are obsolete, with what to use instead. */
export const OBSOLETE_ELEMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    acronym: "<abbr>",
    applet: "<embed> or <object>",
    basefont: "CSS",
    bgsound: "<audio>",
    big: "CSS",
    blink: "CSS",
    center: "CSS",
    dir: "<ul>",
    font: "CSS",
    frame: "<iframe>",
    frameset: "<iframe>",
    isindex: '<form> with <input type="text">',
    keygen: "the Web Cryptography API",
    listing: "<pre> and <code>",
    marquee: "CSS",
    menuitem: "a script",
    multicol: "CSS",
    nextid: "unique IDs",
    nobr: "CSS",
    noembed: "<object>",
    noframes: "<iframe>",
    param: 'the attribute "data" of <object>',
    plaintext: "the media type text/plain",
    rb: "the text of <ruby> itself",
    rtc: "<rt>, or <ruby> in <ruby>",
    spacer: "CSS",
    strike: "<del> or <s>",
    tt: "<kbd>, <var>, <code>, <samp> or CSS",
    xmp: "<pre> and <code>",
  }),
);

/** Attributes that are obsolete: on which elements, and what to do instead. */
const ATTRIBUTES: Record<string, readonly [string, string]> = {
  abbr: ["td", "begin the cell with a short text"],
  accept: ["form", "use it on <input>"],
  archive: ["object", 'use "data" and "type"'],
  a: ["object", 'use "data" and "type"'],
  axis: ["td th", 'use "scope" on <th>'],
  border: ["img input object table", "use CSS"],
  charset: ["a link script", "leave it out"],
  classid: ["object", 'use "data" and "type"'],
  code: ["object", 'use "data" and "type"'],
  codebase: ["object", 'use "data" and "type"'],
  codetype: ["object", 'use "data" and "type"'],
  coords: ["a", "use <area>"],
  datafld: ["a button div fieldset iframe img input label legend object select span textarea", "use a script"],
  dataformatas: ["button div input label legend object option select span table", "use a script"],
  datapagesize: ["table", "leave it out"],
  datasrc: ["a button div iframe img input label legend object option select span table textarea", "use a script"],
  declare: ["object", "repeat the <object>"],
  event: ["script", "register a listener in the script"],
  for: ["script", "register a listener in the script"],
  ismap: ["input", "leave it out"],
  label: ["menu", "use a script"],
  language: ["script", "leave it out"],
  longdesc: ["iframe img", "link to the description with <a>"],
  lowsrc: ["img", "use a progressive JPEG"],
  manifest: ["html", "use service workers"],
  methods: ["a link", "use HTTP OPTIONS"],
  name: ["a embed img option", 'use "id"'],
  nohref: ["area", 'leave out "href"'],
  profile: ["head", "leave it out"],
  rev: ["a link", 'use "rel" with the opposite type'],
  scheme: ["meta", "make the scheme a part of the value"],
  scope: ["td", "use it on <th>"],
  shape: ["a", "use <area>"],
  standby: ["object", "make the resource load fast"],
  summary: ["table", "describe the table in its <caption>"],
  target: ["link", "leave it out"],
  type: ["menu param", "leave it out"],
  typemustmatch: ["object", "do not embed what is not trusted"],
  urn: ["a link", 'use "href"'],
  usemap: ["input object", "use <img>"],
  valuetype: ["param", "leave it out"],
  version: ["html", "leave it out"],
};

/** Attributes for presentation, which CSS replaces. */
const PRESENTATION: Record<string, string> = {
  align:
    "caption col colgroup div embed h1 h2 h3 h4 h5 h6 hr iframe img input legend object p table tbody td tfoot th thead tr",
  alink: "body",
  allowtransparency: "iframe",
  background: "body table tbody td tfoot th thead tr",
  bgcolor: "body table td th tr",
  bordercolor: "table",
  cellpadding: "table",
  cellspacing: "table",
  char: "col colgroup tbody td tfoot th thead tr",
  charoff: "col colgroup tbody td tfoot th thead tr",
  clear: "br",
  color: "hr",
  compact: "dl menu ol ul",
  frameborder: "iframe",
  framespacing: "iframe",
  frame: "table",
  height: "table tbody td tfoot th thead tr",
  hspace: "embed iframe img input object",
  link: "body",
  bottommargin: "body",
  marginheight: "body iframe",
  leftmargin: "body",
  rightmargin: "body",
  topmargin: "body",
  marginwidth: "body iframe",
  noshade: "hr",
  nowrap: "td th",
  rules: "table",
  scrolling: "iframe",
  size: "hr",
  text: "body",
  type: "li ul",
  valign: "col colgroup tbody td tfoot th thead tr",
  vlink: "body",
  vspace: "embed iframe img input object",
  width: "col colgroup hr pre table td th",
};

/** Attributes that are obsolete on every element. */
export const OBSOLETE_EVERYWHERE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    contextmenu: 'use a script for the event "contextmenu"',
    dropzone: 'use a script for the events "dragenter" and "dragover"',
    onshow: 'use a script for the event "contextmenu"',
  }),
);

/** By attribute: the elements on which it is obsolete, with what to do instead. */
export const OBSOLETE_ATTRIBUTES: ReadonlyMap<string, ReadonlyMap<string, string>> = byAttribute();

function byAttribute(): Map<string, Map<string, string>> {
  const all = new Map<string, Map<string, string>>();
  const add = (attribute: string, elements: string, hint: string) => {
    const hints = all.get(attribute) ?? new Map<string, string>();
    for (const element of elements.split(" ")) if (!hints.has(element)) hints.set(element, hint);
    all.set(attribute, hints);
  };
  for (const [attribute, [elements, hint]] of Object.entries(ATTRIBUTES)) add(attribute, elements, hint);
  for (const [attribute, elements] of Object.entries(PRESENTATION)) add(attribute, elements, "use CSS");
  return all;
}
