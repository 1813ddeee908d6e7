import { htmlSection } from "../finding.ts";
import { HTML, MATHML, SVG } from "../tree.ts";
import type { ElementRule, OpenElement } from "./open-element.ts";

/** Elements that HTML has or once had. */
export const HTML_NAMES: ReadonlySet<string> = new Set(
  (
    "a abbr acronym address applet area article aside attachment audio b base basefont bdi bdo bgsound big " +
    "blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn " +
    "dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 " +
    "head header hgroup hr html i iframe image img input ins kbd keygen label legend li link listing main map " +
    "mark marquee menu meta meter model nav nobr noembed noframes noscript object ol optgroup option output p " +
    "param picture plaintext pre progress q rb rp rt rtc ruby s samp script search section select selectedcontent " +
    "slot small source span strike strong style sub summary sup table tbody td template textarea tfoot th thead " +
    "time title tr track tt u ul var video wbr xmp"
  ).split(" "),
);
/** Elements of MathML, with those that MathML Core has not. */
export const MATHML_NAMES: ReadonlySet<string> = new Set(
  (
    "annotation annotation-xml maction maligngroup malignmark math menclose merror mfenced mfrac mglyph mi " +
    "mlabeledtr mlongdiv mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mscarries mscarry " +
    "msgroup msline mspace msqrt msrow mstack mstyle msub msubsup msup mtable mtd mtext mtr munder munderover " +
    "none semantics"
  ).split(" "),
);
/** Elements that SVG has or once had. */
export const SVG_NAMES: ReadonlySet<string> = new Set(
  (
    "a altGlyph altGlyphDef altGlyphItem animate animateColor animateMotion animateTransform circle clipPath " +
    "color-profile cursor defs desc ellipse feBlend feColorMatrix feComponentTransfer feComposite " +
    "feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB " +
    "feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight " +
    "feSpecularLighting feSpotLight feTile feTurbulence filter font font-face font-face-format font-face-name " +
    "font-face-src font-face-uri foreignObject g glyph glyphRef hkern image line linearGradient marker mask " +
    "metadata missing-glyph mpath path pattern polygon polyline radialGradient rect script set stop style svg " +
    "switch symbol text textPath title tref tspan use view vkern"
  ).split(" "),
);

/** Names that are not custom elements although they have a hyphen. */
const RESERVED: ReadonlySet<string> = new Set(
  "annotation-xml color-profile font-face font-face-src font-face-uri font-face-format font-face-name missing-glyph".split(
    " ",
  ),
);
const LANGUAGES = new Map([
  [HTML, { name: "HTML", names: HTML_NAMES, section: htmlSection("indices.html#elements-3") }],
  [SVG, { name: "SVG", names: SVG_NAMES, section: "https://www.w3.org/TR/SVG2/eltindex.html" }],
  [MATHML, { name: "MathML", names: MATHML_NAMES, section: "https://www.w3.org/TR/mathml-core/" }],
]);

/** Elements that no language has. The parser rejects other names that custom elements cannot have. */
export const checkElementName: ElementRule = (open, report) => {
  const { tagName, namespaceURI } = open.element;
  const language = LANGUAGES.get(namespaceURI);
  if (!language || language.names.has(tagName)) return;
  // What MathML annotates has names of its own: https://www.w3.org/TR/mathml-core/#semantics-and-presentation
  if (namespaceURI === MATHML && isAnnotation(open.parent)) return;
  if (open.name.includes("-")) {
    if (RESERVED.has(tagName))
      report(open, {
        rule: "custom-element-name",
        message: `<${tagName}> is the name of an element of SVG or MathML; a custom element cannot have it.`,
        section: htmlSection("custom-elements.html#valid-custom-element-name"),
      });
  } else
    report(open, {
      rule: "unknown-element",
      message: `<${tagName}> is not an element of ${language.name}.`,
      section: language.section,
    });
};

function isAnnotation(open: OpenElement | undefined): boolean {
  for (let around = open; around?.element.namespaceURI === MATHML; around = around.parent)
    if (around.element.tagName === "annotation-xml") return true;
  return false;
}
