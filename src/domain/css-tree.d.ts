// The types of css-tree have its main module only, which takes ten times as long to load.
declare module "css-tree/selector-parser" {
  import type { CssNode, ParseOptions } from "css-tree";

  export default function parse(text: string, options: ParseOptions & { context: "selectorList" }): CssNode;
}

declare module "css-tree/tokenizer" {
  export { tokenize, tokenTypes } from "css-tree";
}

declare module "css-tree/utils" {
  export { ident, string, url } from "css-tree";
}
