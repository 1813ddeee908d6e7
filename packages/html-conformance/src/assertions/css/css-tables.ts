const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** At-rules of CSS, and earlier ones of browsers. */
export const AT_RULES = words(
  "charset color-profile container counter-style custom-media custom-selector document font-face font-feature-values " +
    "font-palette-values function import keyframes layer media namespace page position-try property scope " +
    "starting-style supports view-transition viewport " +
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
    "after before first-letter first-line",
);

export const PSEUDO_ELEMENTS = words(
  "after backdrop before checkmark clear-icon column content cue cue-region details-content file-selector-button " +
    "first-letter first-line grammar-error highlight marker part picker picker-icon placeholder scroll-button " +
    "scroll-marker scroll-marker-group search-text selection slotted spelling-error target-text shadow " +
    "view-transition view-transition-group view-transition-group-children view-transition-image-pair " +
    "view-transition-new view-transition-old",
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
    "wrap-after wrap-before wrap-inside zoom",
);

/** The descriptors of at-rules. */
export const DESCRIPTORS = words(
  "additive-symbols ascent-override base-palette bleed components descent-override fallback font-display font-family " +
    "font-feature-settings font-language-override font-named-instance font-size font-stretch font-style font-variant " +
    "font-variation-settings font-weight font-width inherits initial-value line-gap-override marks max-height max-width " +
    "max-zoom min-height min-width min-zoom navigation negative orientation override-colors pad page-orientation prefix " +
    "range rendering-intent result result-type size size-adjust speak-as src subscript-position-override " +
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
  "font-feature-values annotation character-variant historical-forms ornaments styleset stylistic swash",
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
