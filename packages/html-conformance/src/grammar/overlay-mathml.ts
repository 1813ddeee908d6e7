/**
 * What MathML Core (and, for `intent` and `arg`, MathML 4) has, and the Nu checker's grammar of MathML 3 lacks.
 *
 * Sections: https://www.w3.org/TR/mathml-core/#global-attributes, #attribute-values (lengths and colors are those of
 * CSS; MathML 3's own lengths stay allowed), #semantics-and-presentation (any encoding, any content), #dfn-a;
 * https://www.w3.org/TR/mathml4/#mixing_intent.
 */
export const MATHML_CORE = `
default namespace m = "http://www.w3.org/1998/Math/MathML"
namespace h = "http://www.w3.org/1999/xhtml"
namespace local = ""
datatypes w = "http://whattf.org/datatype-draft"

length = w:math-length
mpadded-length = w:math-length
color = w:color
CommonAtt =
    attribute id { w:xml-name }?,
    attribute xref { text }?,
    attribute class { text }?,
    attribute style { text }?,
    attribute href { xsd:anyURI }?,
    CommonDeprecatedAtt,
    math.own.attributes,
    NonMathMLAtt*
math.own.attributes =
    common.attrs.autofocus?
    & common.attrs.nonce?
    & common.attrs.tabindex?
    & common.attrs.scripting
    & attribute dir { w:string "ltr" | w:string "rtl" }?
    & attribute displaystyle { w:string "true" | w:string "false" }?
    & attribute mathbackground { color | "transparent" }?
    & attribute mathcolor { color }?
    & attribute mathsize { "small" | "normal" | "big" | length }?
    & attribute scriptlevel { xsd:integer }?
    & attribute intent { text }?
    & attribute arg { xsd:NCName }?

MathExpression |= math.own.a
math.own.a =
    element a {
        CommonAtt,
        shared-hyperlink.attrs.target?,
        shared-hyperlink.attrs.rel?,
        shared-hyperlink.attrs.download?,
        shared-hyperlink.attrs.ping?,
        shared-hyperlink.attrs.hreflang?,
        shared-hyperlink.attrs.type?,
        referrerpolicy?,
        ImpliedMrow
    }

annotation-xml.mathml =
    element annotation-xml {
        annotation-xml.attributes, math.own.encoding?, (text | math.own.any)*
    }
math.own.encoding =
    attribute encoding { string - (w:string "application/xhtml+xml" | w:string "text/html") }
math.own.any = element * - h:* { (attribute * { text } | text | math.own.any)* }
`;
