/** The language of a document: HTML, HTML in XML, or SVG on its own. */
export type Preset = "html" | "xhtml" | "svg";
export const presets: readonly Preset[] = ["html", "xhtml", "svg"];
