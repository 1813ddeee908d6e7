/** The roles that ARIA in HTML gives to elements that have one whatever their attributes are. */
export const IMPLICIT_ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    article: "article",
    aside: "complementary",
    body: "document",
    button: "button",
    datalist: "listbox",
    dd: "definition",
    details: "group",
    dialog: "dialog",
    dfn: "term",
    dt: "term",
    fieldset: "group",
    figure: "figure",
    form: "form",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    hr: "separator",
    img: "img",
    li: "listitem",
    link: "link",
    main: "main",
    nav: "navigation",
    ol: "list",
    output: "status",
    progress: "progressbar",
    section: "region",
    summary: "button",
    s: "deletion",
    table: "table",
    tbody: "rowgroup",
    textarea: "textbox",
    tfoot: "rowgroup",
    thead: "rowgroup",
    td: "cell",
    tr: "row",
    ul: "list",
  }),
);

/** Roles whose owner ARIA requires, with the roles that own them. */
export const REQUIRED_CONTEXT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    option: ["listbox"],
    menuitem: ["menu", "menubar"],
    menuitemcheckbox: ["menu", "menubar"],
    menuitemradio: ["menu", "menubar", "group"],
    tab: ["tablist"],
    treeitem: ["tree", "group"],
    listitem: ["list", "group"],
    cell: ["row"],
    gridcell: ["row"],
    columnheader: ["row"],
    rowheader: ["row"],
    row: ["grid", "rowgroup", "treegrid", "table"],
    rowgroup: ["grid", "treegrid", "table"],
  }),
);

/** The roles that are not abstract: those that may be used. */
export const ROLES: ReadonlySet<string> = new Set(
  (
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
    "comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic " +
    "grid gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar " +
    "menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio " +
    "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong " +
    "subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree " +
    "treegrid treeitem " +
    "doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography " +
    "doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote " +
    "doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref " +
    "doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist " +
    "doc-part doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc " +
    "graphics-document graphics-object graphics-symbol"
  ).split(" "),
);

/** Roles that must not have a name. */
export const UNNAMED_ROLES: ReadonlySet<string> = new Set(
  "caption code deletion emphasis generic insertion paragraph presentation strong subscript superscript".split(" "),
);
