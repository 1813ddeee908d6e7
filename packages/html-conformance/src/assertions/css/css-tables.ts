const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** At-rules of CSS, and earlier ones of browsers. */
export const AT_RULES = words(
  "charset color-profile container counter-style custom-media custom-selector document font-face font-feature-values " +
    "font-palette-values function import keyframes layer media namespace page position-try property scope " +
    "starting-style supports view-transition viewport " +
    "apply contents else location mixin navigation private supports-condition when " +
    "annotation character-variant historical-forms ornaments styleset stylistic swash " +
    "top-left-corner top-left top-center top-right top-right-corner bottom-left-corner bottom-left bottom-center " +
    "bottom-right bottom-right-corner left-top left-middle left-bottom right-top right-middle right-bottom",
);

export const PSEUDO_CLASSES = words(
  "active active-view-transition active-view-transition-type any-link autofill blank buffering checked current default " +
    "defined dir disabled empty enabled first first-child first-of-type focus focus-visible focus-within fullscreen " +
    "future has has-slotted heading host host-context hover in-range indeterminate interest-source interest-target " +
    "invalid is lang last-child last-of-type left link local-link matches modal muted not nth-child nth-col nth-last-child " +
    "nth-last-col nth-last-of-type nth-of-type only-child only-of-type open optional out-of-range past paused " +
    "picture-in-picture placeholder-shown playing popover-open read-only read-write required right root scope seeking " +
    "stalled state target target-current target-within target-before target-after user-invalid user-valid valid visited " +
    "volume-locked where xr-overlay " +
    "animated-image first-of-page high-value last-of-page link-to low-value navigation-source nth nth-of-page " +
    "optimal-value snapped snapped-block snapped-inline snapped-x snapped-y start-of-page unchecked " +
    "after before first-letter first-line",
);

export const PSEUDO_ELEMENTS = words(
  "after backdrop before checkmark clear-icon column content cue cue-region details-content file-selector-button " +
    "first-letter first-line grammar-error highlight marker part picker picker-icon placeholder scroll-button " +
    "scroll-marker scroll-marker-group search-text selection slotted spelling-error target-text shadow " +
    "view-transition view-transition-group view-transition-group-children view-transition-image-pair " +
    "view-transition-new view-transition-old " +
    "color-swatch field-component field-content field-separator nth-fragment reveal-icon slider-fill slider-thumb " +
    "slider-track step-control step-down step-up",
);

/** Properties in specifications that css-tree's tables may lack. */
export const MORE_PROPERTIES = words(
  "alignment-baseline anchor-name anchor-scope baseline-shift baseline-source block-step block-step-align " +
    "block-step-insert block-step-round block-step-size bookmark-label bookmark-level bookmark-state " +
    "buffered-rendering color-interpolation-filters color-rendering color-adjust color-interpolation column-height column-wrap container-name " +
    "container-type corner-shape cue cue-after cue-before dominant-baseline dynamic-range-limit enable-background " +
    "field-sizing float-defer float-offset float-reference footnote-display footnote-policy " +
    "glyph-orientation-horizontal glyph-orientation-vertical hyphenate-limit-last hyphenate-limit-lines " +
    "hyphenate-limit-zone inline-sizing interactivity interest-delay interpolate-size kerning line-fit-edge " +
    "line-padding page pause pause-after pause-before position-anchor position-area position-visibility reading-flow " +
    "reading-order rest rest-after rest-before ruby-overhang running scroll-target-group size solid-color " +
    "solid-opacity speak speak-as string-set text-autospace text-box text-box-edge text-box-trim text-group-align " +
    "text-spacing-trim text-wrap-mode text-wrap-style transform-box view-transition-class voice-balance " +
    "voice-duration voice-family voice-pitch voice-range voice-rate voice-stress voice-volume white-space-trim " +
    "animation-delay-end animation-delay-start animation-range-center background-position-block background- " +
    "position-inline background-repeat-block background-repeat-inline background-repeat-x background-repeat-y " +
    "background-tbd block-ellipsis border-block-clip border-block-end-clip border-block-end-radius border-block- " +
    "start-clip border-block-start-radius border-bottom-clip border-bottom-radius border-boundary border-clip " +
    "border-inline-clip border-inline-end-clip border-inline-end-radius border-inline-start-clip border-inline- " +
    "start-radius border-left-clip border-left-radius border-limit border-right-clip border-right-radius border- " +
    "shape border-top-clip border-top-radius box-shadow-blur box-shadow-color box-shadow-offset box-shadow- " +
    "position box-shadow-spread box-snap column-rule-break column-rule-inset column-rule-inset-cap column-rule- " +
    "inset-cap-end column-rule-inset-cap-start column-rule-inset-end column-rule-inset-junction column-rule- " +
    "inset-junction-end column-rule-inset-junction-start column-rule-inset-start column-rule-visibility-items " +
    "continue copy-into corner corner-block-end corner-block-start corner-bottom corner-bottom-left corner- " +
    "bottom-right corner-end-end corner-end-start corner-inline-end corner-inline-start corner-left corner-right " +
    "corner-start-end corner-start-start corner-top corner-top-left corner-top-right event-trigger event-trigger- " +
    "name event-trigger-source fill-break fill-color fill-image fill-origin fill-position fill-repeat fill-size " +
    "flex-line-count flow-from flow-into flow-tolerance frame-sizing image-animation initial-letter-wrap input- " +
    "security line-grid line-snap link-parameters margin-break marker-side max-size min-intrinsic-sizing min-size " +
    "nav-down nav-left nav-right nav-up overflow-clip-margin-block overflow-clip-margin-block-end overflow-clip- " +
    "margin-block-start overflow-clip-margin-bottom overflow-clip-margin-inline overflow-clip-margin-inline-end " +
    "overflow-clip-margin-inline-start overflow-clip-margin-left overflow-clip-margin-right overflow-clip-margin- " +
    "top path-length pointer-timeline pointer-timeline-axis pointer-timeline-name region-fragment row-rule row- " +
    "rule-break row-rule-color row-rule-inset row-rule-inset-cap row-rule-inset-cap-end row-rule-inset-cap-start " +
    "row-rule-inset-end row-rule-inset-junction row-rule-inset-junction-end row-rule-inset-junction-start row- " +
    "rule-inset-start row-rule-style row-rule-visibility-items row-rule-width rule rule-break rule-color rule- " +
    "inset rule-inset-cap rule-inset-end rule-inset-junction rule-inset-start rule-overlap rule-style rule- " +
    "visibility-items rule-width scroll-axis-lock shape-inside shape-padding slider-orientation spatial- " +
    "navigation-action spatial-navigation-contain spatial-navigation-function stroke-align stroke-alignment " +
    "stroke-break stroke-dash-corner stroke-dash-justify stroke-dashadjust stroke-dashcorner stroke-image stroke- " +
    "origin stroke-position stroke-repeat stroke-size text-align-all text-decoration-skip-box text-decoration- " +
    "skip-self text-decoration-skip-spaces text-emphasis-skip text-fit text-spacing timeline-trigger-activation- " +
    "range timeline-trigger-activation-range-end timeline-trigger-activation-range-start timeline-trigger-active- " +
    "range timeline-trigger-active-range-end timeline-trigger-active-range-start view-transition-group view- " +
    "transition-scope window-drag word-space-transform wrap-flow wrap-through wrap-after wrap-before wrap-inside " +
    "zoom",
);

/** The descriptors of at-rules. */
export const DESCRIPTORS = words(
  "additive-symbols ascent-override base-palette bleed components descent-override fallback font-display font-family " +
    "font-feature-settings font-language-override font-named-instance font-size font-stretch font-style font-variant " +
    "font-variation-settings font-weight font-width inherits initial-value line-gap-override marks max-height max-width " +
    "max-zoom min-height min-width min-zoom navigation negative orientation override-colors pad page-orientation prefix " +
    "page-margin-safety range rendering-intent result result-type size size-adjust speak-as src subscript-position-override " +
    "subscript-size-override suffix superscript-position-override superscript-size-override symbols syntax system types " +
    "unicode-range user-zoom viewport-fit zoom height width",
);

/** @see https://drafts.csswg.org/css-fonts/#font-face-rule */
export const FONT_FACE_DESCRIPTORS = words(
  "ascent-override descent-override font-display font-family font-feature-settings font-language-override " +
    "font-named-instance font-size font-stretch font-style font-variant font-variation-settings font-weight font-width " +
    "line-gap-override size-adjust src subscript-position-override subscript-size-override " +
    "superscript-position-override superscript-size-override unicode-range",
);

/** The at-rules that have descriptors. */
export const DESCRIPTIVE = words(
  "font-face page property counter-style font-palette-values color-profile viewport view-transition",
);

/** The at-rules whose authors choose the names of declarations. */
export const FREE = words(
  "function mixin apply contents font-feature-values annotation character-variant historical-forms ornaments styleset stylistic swash",
);

/** Pseudo-classes that need arguments. */
export const NEED_ARGUMENTS = words(
  "dir has host-context is lang not nth-child nth-last-child nth-last-of-type nth-of-type where",
);

/** Those of them whose list of selectors may be empty. */
export const FORGIVING = words("is where");

/** Pseudo-classes that never have arguments. */
export const WITHOUT_ARGUMENTS = words(
  "active any-link checked default defined disabled empty enabled first-child first-of-type focus focus-visible " +
    "focus-within hover in-range indeterminate invalid last-child last-of-type link only-child only-of-type optional " +
    "out-of-range placeholder-shown read-only read-write required root target valid visited",
);

/**
 * Keywords that recent drafts add to the values of properties, and system colors of before, which css-tree's tables
 * lack: a value with one of them is not judged. The first set is for every property.
 */
export const DRAFT_KEYWORDS: readonly (readonly [properties: RegExp, keywords: ReadonlySet<string>])[] = [
  [
    /^/,
    words(
      "revert-rule base-select hairline x-start x-end y-start y-end block-start block-end inline-start inline-end both-inline " +
        "both-block repeat-block repeat-inline half-border-box plus-lighter balance-all grid-lanes inline-grid-lanes " +
        "snap-block snap-inline footnote oblique-only high-quality bounding-box flip-x flip-y match-parent justify-all " +
        "no-compress avoid-short-last-line force-hidden discard discard-before discard-after discard-inner " +
        "activeborder activecaption appworkspace background buttonhighlight buttonshadow captiontext inactiveborder " +
        "inactivecaption inactivecaptiontext infobackground infotext menu menutext scrollbar threeddarkshadow threedface " +
        "threedhighlight threedlightshadow threedshadow window windowframe windowtext",
    ),
  ],
  [/^appearance$/, words("base")],
  [
    /(?:width|height|size|flex|flex-basis|gap)$|^(?:column-rule|text-decoration)/,
    words("contain stretch thin medium thick"),
  ],
  [/^(?:clear|float)$/, words("top bottom")],
  [/^flex-(?:flow|wrap)$/, words("balance")],
  [/^(?:fill|stroke)$/, words("child")],
  [/^(?:stroke-linejoin)$/, words("miter-clip crop arcs fallback")],
  [/^(?:rx|ry|column-span|text-decoration-skip)$/, words("auto")],
  [/^font-(?:style|variant)$/, words("left right sub super text emoji unicode")],
  [/^margin-trim$/, words("block")],
  [/^overscroll-behavior/, words("chain")],
  [
    /^position-try-fallbacks$/,
    /** @see https://drafts.csswg.org/css-anchor-position-2/ */ words(
      "self-x-start self-x-end self-y-start self-y-end",
    ),
  ],
  [/^(?:background-position|object-position|mask-position|offset-.*|perspective-origin)$/, words("start end")],
  [/^display$/, words("math")],
  [
    /^(?:ruby-merge|scroll-marker-group|text-justify|text-overflow|timeline-scope|user-select)$/,
    words("merge links tabs ruby fade all contain"),
  ],
  [/^vertical-align$/, words("first last alphabetic ideographic central mathematical hanging center")],
  [/^white-space(?:-collapse)?$/, words("none")],
  [/^word-break$/, words("manual")],
  [/^image-orientation$/, words("none")],
];
