/** A document before it is written down. */
export type TreeElement = {
  namespace: string;
  name: string;
  attributes: TreeAttribute[];
  children: TreeNode[];
};
export type TreeAttribute = { namespace: string; name: string; value: string };
export type TreeNode = TreeElement | string;

export const HTML = "http://www.w3.org/1999/xhtml";
const PREFIXES: Record<string, string> = {
  "http://www.w3.org/XML/1998/namespace": "xml",
  "http://www.w3.org/1999/xlink": "xlink",
};
const VOID = new Set("area base br col embed hr img input link meta source track wbr param".split(" "));
const RAW = new Set("script style xmp iframe noembed noframes plaintext".split(" "));

/** An element with all that are in it. */
export function elementsOf(root: TreeElement): TreeElement[] {
  const found = [root];
  for (const element of found) for (const child of element.children) if (typeof child !== "string") found.push(child);
  return found;
}

export function copyOf(root: TreeElement): TreeElement {
  return structuredClone(root);
}

/** A document as text, and the elements by the line of their start tag. */
export type Written = { source: string; lines: ReadonlyMap<number, TreeElement> };

/** Each start tag begins a line, so that a line says which element is meant. */
export function writeHtml(root: TreeElement): Written {
  const writer = createWriter("<!DOCTYPE html>");
  const write = (node: TreeNode, inRaw: boolean): void => {
    if (typeof node === "string") {
      writer.add(inRaw ? node : escapeText(node));
      return;
    }
    const { namespace, name, children } = node;
    writer.begin(node);
    writer.add(`<${name}${attributesOf(node, escapeHtmlValue)}>`);
    if (namespace === HTML && VOID.has(name)) return;
    for (const child of children) write(child, namespace === HTML && RAW.has(name));
    writer.add(`</${name}>`);
  };
  write(root, false);
  return writer.end();
}

function createWriter(first: string) {
  let source = first;
  let line = 1;
  const lines = new Map<number, TreeElement>();
  const add = (text: string): void => {
    source += text;
    line += text.split(/\r\n|\n|\r/).length - 1;
  };
  return {
    add,
    begin(element: TreeElement): void {
      if (source !== "") add("\n");
      lines.set(line, element);
    },
    end: (): Written => ({ source, lines }),
  };
}

function escapeHtmlValue(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}

function attributesOf({ attributes }: TreeElement, escaped: (value: string) => string): string {
  return attributes.map((attribute) => ` ${qualified(attribute)}="${escaped(attribute.value)}"`).join("");
}

function qualified({ namespace, name }: TreeAttribute): string {
  if (namespace === "") return name;
  return `${PREFIXES[namespace] ?? "x"}:${name}`;
}

/** As XML: namespaces are declared where they change. */
export function writeXml(root: TreeElement): Written {
  const writer = createWriter("");
  const write = (node: TreeNode, outer: string): void => {
    if (typeof node === "string") {
      writer.add(escapeText(node));
      return;
    }
    const { name, children } = node;
    const { own, declared } = namespacesOf(node, outer);
    writer.begin(node);
    writer.add(`<${name}${declared}${attributesOf(node, escapeAttribute)}`);
    writer.add(children.length === 0 ? "/>" : ">");
    for (const child of children) write(child, own);
    if (children.length > 0) writer.add(`</${name}>`);
  };
  write(root, "");
  return writer.end();
}

function namespacesOf({ namespace, attributes }: TreeElement, outer: string): { own: string; declared: string } {
  const own = namespace.startsWith("http://n.validator.nu/") ? HTML : namespace;
  const used = new Set(attributes.map((attribute) => attribute.namespace));
  const links = [...used]
    .filter((uri) => uri !== "" && PREFIXES[uri] !== "xml")
    .map((uri) => ` xmlns:${PREFIXES[uri] ?? "x"}="${escapeAttribute(uri)}"`);
  return { own, declared: (own === outer ? "" : ` xmlns="${escapeAttribute(own)}"`) + links.join("") };
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("]]>", "]]&gt;");
}

function escapeAttribute(value: string): string {
  return escapeText(value).replaceAll('"', "&quot;");
}
