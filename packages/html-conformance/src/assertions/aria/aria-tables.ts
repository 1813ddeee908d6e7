/** Elements on which `aria-hidden` means nothing. */
export const WITHOUT_ARIA: ReadonlySet<string> = new Set(
  "base col colgroup head link map meta noscript param script slot source style template title track".split(" "),
);

const NOT_DISABLED =
  "alert alertdialog article banner blockquote caption cell code comment complementary contentinfo definition " +
  "deletion dialog directory document emphasis feed figure form generic heading img insertion list listitem log " +
  "main mark marquee math meter navigation note paragraph presentation progressbar region rowgroup search status " +
  "strong subscript suggestion superscript table tabpanel term time timer tooltip";
const NOT_INVALID =
  "alert alertdialog article banner blockquote button caption cell code comment complementary contentinfo " +
  "definition deletion dialog directory document emphasis feed figure form generic grid group heading img " +
  "insertion link list listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio " +
  "meter navigation note option paragraph presentation progressbar radio region row rowgroup scrollbar search " +
  "separator status strong subscript suggestion superscript tab table tablist tabpanel term time timer toolbar " +
  "tooltip treeitem";
const NO_POPUP =
  "alert alertdialog article banner blockquote caption cell checkbox code comment complementary contentinfo " +
  "definition deletion dialog directory document emphasis feed figure form generic grid group heading img " +
  "insertion list listbox listitem log main mark marquee math menu menubar meter navigation note option paragraph " +
  "presentation progressbar radio radiogroup region row rowgroup scrollbar search separator spinbutton status " +
  "strong subscript suggestion superscript switch table tablist tabpanel term time timer toolbar tooltip tree " +
  "treegrid";

/** Attributes that WAI-ARIA 1.2 deprecates as global, with the roles on which they are deprecated. */
export const DEPRECATED_FOR_ROLE: readonly (readonly [string, ReadonlySet<string>])[] = [
  ["aria-disabled", new Set(NOT_DISABLED.split(" "))],
  ["aria-errormessage", new Set(NOT_INVALID.split(" "))],
  ["aria-haspopup", new Set(NO_POPUP.split(" "))],
  ["aria-invalid", new Set(NOT_INVALID.split(" "))],
  ["aria-level", new Set(["listitem"])],
];

/** Global states and properties: allowed on elements with any role. */
export const GLOBAL_ARIA: ReadonlySet<string> = new Set(
  (
    "aria-atomic aria-braillelabel aria-brailleroledescription aria-busy aria-controls aria-current aria-describedby " +
    "aria-description aria-details aria-disabled aria-errormessage aria-flowto aria-haspopup aria-hidden aria-invalid " +
    "aria-keyshortcuts aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription"
  ).split(" "),
);
