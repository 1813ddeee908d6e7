/**
 * What SVG 2 and the modules around it have, and the Nu checker's grammar of SVG 1.1 lacks. Values of presentation
 * attributes are judged as CSS (assertions/svg-values.ts): here they are free.
 *
 * Sections: Core attributes and `tabindex`: SVG 2, 5.13 (struct.html#CommonAttributes). Event attributes:
 * interact.html#EventAttributes. Presentation attributes: styling.html#PresentationAttributes; those of any element.
 * Content models: the element's own section, from eltindex.html. Coordinates and lists: types.html, shapes.html,
 * coords.html; filter primitives: https://drafts.fxtf.org/filter-effects-1/; `<a>`: linking.html#AElement.
 */
export const SVG_2 = String.raw`
default namespace svg = "http://www.w3.org/2000/svg"
datatypes w = "http://whattf.org/datatype-draft"

Coordinate.datatype = w:svg-length
Coordinates.datatype = w:svg-length-list
Length.datatype = w:svg-length
Lengths.datatype = w:svg-length-list
Integer.datatype = w:integer
Number.datatype = w:svg-number
Numbers.datatype = w:svg-number-list
NumberOptionalNumber.datatype = w:svg-number-pair
NumberOrPercentage.datatype = w:svg-number-or-percentage
Points.datatype = w:svg-points
TransformList.datatype = w:svg-transform
ViewBoxSpec.datatype = w:svg-view-box
PreserveAspectRatioSpec.datatype = w:svg-aspect-ratio
MediaDesc.datatype = w:media-query
LinkTarget.datatype = w:browsing-context-or-keyword

SVG.Core.attrib =
    SVG.id.attrib,
    SVG.base.attrib,
    SVG.lang.attrib,
    SVG.space.attrib,
    SVG.focusable.attrib,
    SVG.Core.extra.attrib,
    SVG.own.attrib
SVG.own.attrib =
    common.attrs.tabindex?
    & common.attrs.autofocus?
    & common.attrs.nonce?
    & common.attrs.scripting
    & SVG.own.events
    & SVG.own.presentation
    & SVG.own.conditional
    & attribute class { text }?
    & attribute style { text }?
    & aria.global?
SVG.own.conditional =
    attribute requiredFeatures { text }?
    & attribute requiredExtensions { text }?
    & attribute systemLanguage { text }?
    & attribute externalResourcesRequired { "false" | "true" }?
SVG.own.events =
    attribute onfocusin { text }?
    & attribute onfocusout { text }?
    & attribute onactivate { text }?
    & attribute onunload { text }?
    & attribute onzoom { text }?
    & attribute onbegin { text }?
    & attribute onend { text }?
    & attribute onrepeat { text }?
SVG.own.presentation =
    attribute alignment-baseline { text }?
    & attribute baseline-shift { text }?
    & attribute clip { text }?
    & attribute clip-path { text }?
    & attribute clip-rule { text }?
    & attribute color { text }?
    & attribute color-interpolation { text }?
    & attribute color-interpolation-filters { text }?
    & attribute color-profile { text }?
    & attribute color-rendering { text }?
    & attribute cursor { text }?
    & attribute direction { text }?
    & attribute display { text }?
    & attribute dominant-baseline { text }?
    & attribute enable-background { text }?
    & attribute fill { text }?
    & attribute fill-opacity { text }?
    & attribute fill-rule { text }?
    & attribute filter { text }?
    & attribute flood-color { text }?
    & attribute flood-opacity { text }?
    & attribute font-family { text }?
    & attribute font-size { text }?
    & attribute font-size-adjust { text }?
    & attribute font-stretch { text }?
    & attribute font-style { text }?
    & attribute font-variant { text }?
    & attribute font-weight { text }?
    & attribute glyph-orientation-horizontal { text }?
    & attribute glyph-orientation-vertical { text }?
    & attribute image-rendering { text }?
    & attribute kerning { text }?
    & attribute letter-spacing { text }?
    & attribute lighting-color { text }?
    & attribute marker-end { text }?
    & attribute marker-mid { text }?
    & attribute marker-start { text }?
    & attribute mask { text }?
    & attribute mask-type { text }?
    & attribute opacity { text }?
    & attribute overflow { text }?
    & attribute paint-order { text }?
    & attribute pointer-events { text }?
    & attribute shape-rendering { text }?
    & attribute stop-color { text }?
    & attribute stop-opacity { text }?
    & attribute stroke { text }?
    & attribute stroke-dasharray { text }?
    & attribute stroke-dashoffset { text }?
    & attribute stroke-linecap { text }?
    & attribute stroke-linejoin { text }?
    & attribute stroke-miterlimit { text }?
    & attribute stroke-opacity { text }?
    & attribute stroke-width { text }?
    & attribute text-anchor { text }?
    & attribute text-decoration { text }?
    & attribute text-overflow { text }?
    & attribute text-rendering { text }?
    & attribute transform { TransformList.datatype }?
    & attribute transform-box {
        "content-box" | "border-box" | "fill-box" | "stroke-box" | "view-box"
    }?
    & attribute transform-origin { text }?
    & attribute unicode-bidi { text }?
    & attribute vector-effect { text }?
    & attribute visibility { text }?
    & attribute white-space { text }?
    & attribute word-spacing { text }?
    & attribute writing-mode { text }?

SVG.Style.attrib = empty
SVG.Conditional.attrib = empty
SVG.External.attrib = empty
SVG.Presentation.attrib = empty
SVG.Container.attrib = empty
SVG.Viewport.attrib = empty
SVG.Text.attrib = empty
SVG.TextContent.attrib = empty
SVG.Font.attrib = empty
SVG.Paint.attrib = empty
SVG.Color.attrib = empty
SVG.Opacity.attrib = empty
SVG.Graphics.attrib = empty
SVG.Marker.attrib = empty
SVG.Profile.attrib = empty
SVG.Gradient.attrib = empty
SVG.Clip.attrib = empty
SVG.Mask.attrib = empty
SVG.Filter.attrib = empty
SVG.FilterColor.attrib = empty
SVG.Cursor.attrib = empty
SVG.DocumentEvents.attrib = empty
SVG.GraphicalEvents.attrib = empty
SVG.AnimationEvents.attrib = empty
SVG.vector-effect.attrib = empty

attlist.style =
    SVG.Core.attrib,
    attribute type { text }?,
    attribute media { MediaDesc.datatype }?,
    attribute title { text }?

attlist.circle &= attribute pathLength { Number.datatype }?
attlist.ellipse &= attribute pathLength { Number.datatype }?
attlist.line &= attribute pathLength { Number.datatype }?
attlist.polygon &= attribute pathLength { Number.datatype }?
attlist.polyline &= attribute pathLength { Number.datatype }?
attlist.rect &= attribute pathLength { Number.datatype }?

SVG.own.reference =
    attribute refX { w:svg-reference-point }? & attribute refY { w:svg-reference-point }?
attlist.marker =
    SVG.Core.attrib
    & common.attrs.aria?
    & SVG.own.reference
    & attribute markerUnits { string "strokeWidth" | string "userSpaceOnUse" }?
    & attribute markerWidth { Length.datatype }?
    & attribute markerHeight { Length.datatype }?
    & attribute orient { w:svg-orient }?
    & attribute viewBox { ViewBoxSpec.datatype }?
    & attribute preserveAspectRatio { PreserveAspectRatioSpec.datatype }?
attlist.symbol &=
    SVG.own.reference & attribute x { Coordinate.datatype }? & attribute y { Coordinate.datatype }?
attlist.a &=
    shared-hyperlink.attrs.download?
    & shared-hyperlink.attrs.ping?
    & referrerpolicy?
    & shared-hyperlink.attrs.hreflang?
    & shared-hyperlink.attrs.type?
attlist.script &= embedded.content.attrs.crossorigin? & common.attrs.fetchpriority?
attlist.image &= embedded.content.attrs.crossorigin? & common.attrs.fetchpriority? & img.attrs.decoding?
attlist.feImage &= embedded.content.attrs.crossorigin? & common.attrs.fetchpriority?
attlist.radialGradient &= attribute fr { Length.datatype }?
attlist.textPath &=
    attribute path { PathData.datatype }? & attribute side { string "left" | string "right" }?
attlist.feBlend &= attribute no-composite { "no-composite" | "" }?
attlist.feDropShadow &= attribute in { text }?

SVG.own.decoration =
    SVG.Animation.class
    | SVG.Description.class
    | SVG.Script.class
    | SVG.Style.class
    | SVG.Clip.class
    | SVG.Marker.class
    | SVG.Mask.class
    | SVG.Gradient.class
    | SVG.Pattern.class
SVG.path.content = SVG.own.decoration*
SVG.rect.content = SVG.own.decoration*
SVG.circle.content = SVG.own.decoration*
SVG.line.content = SVG.own.decoration*
SVG.ellipse.content = SVG.own.decoration*
SVG.polyline.content = SVG.own.decoration*
SVG.polygon.content = SVG.own.decoration*
SVG.use.content = SVG.own.decoration*
SVG.image.content = SVG.own.decoration*
SVG.text.class |= SVG.own.decoration
SVG.tspan.content = (text | SVG.TextContent.class | SVG.Hyperlink.class | SVG.own.decoration)*
SVG.textPath.content = (text | SVG.TextContent.class | SVG.Hyperlink.class | SVG.own.decoration)*
SVG.a.content =
    (text
     | SVG.TextContent.class
     | SVG.own.decoration
     | SVG.Structure.class
     | SVG.Conditional.class
     | SVG.Image.class
     | SVG.Shape.class
     | SVG.Text.class
     | SVG.Filter.class
     | SVG.Cursor.class
     | SVG.Hyperlink.class
     | SVG.View.class
     | SVG.Font.class
     | SVG.Extensibility.class)*
SVG.clipPath.content = (SVG.Description.class | SVG.clipPath.class | SVG.Script.class)*
SVG.switch.content =
    (SVG.Description.class
     | SVG.Animation.class
     | svg
     | g
     | use
     | \text
     | SVG.Conditional.class
     | SVG.Image.class
     | SVG.Shape.class
     | SVG.Hyperlink.class
     | SVG.Extensibility.class)*
SVG.linearGradient.content =
    (SVG.Description.class | SVG.Script.class | SVG.Style.class | stop | animate | set | animateTransform)*
SVG.radialGradient.content =
    (SVG.Description.class | SVG.Script.class | SVG.Style.class | stop | animate | set | animateTransform)*
SVG.stop.content = (SVG.Description.class | SVG.Script.class | SVG.Style.class | animate | set | animateColor)*
SVG.filter.content = (SVG.Description.class | SVG.Script.class | animate | set | SVG.FilterPrimitive.class)*
SVG.animate.content = (SVG.Description.class | SVG.Script.class)*
SVG.set.content = (SVG.Description.class | SVG.Script.class)*
SVG.animateTransform.content = (SVG.Description.class | SVG.Script.class)*
SVG.animateMotion.content = (SVG.Description.class | SVG.Script.class)*, mpath?, (SVG.Description.class | SVG.Script.class)*
SVG.mpath.content = (SVG.Description.class | SVG.Script.class)*
SVG.view.content = (SVG.Description.class | SVG.Animation.class | SVG.Script.class | SVG.Style.class)*
`;
