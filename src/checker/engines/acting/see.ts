import type {
  Seen,
  SeenBlock,
  SeenCell,
  SeenField,
  SeenImage,
  SeenLink,
  SeenMedia,
  SeenPaint,
  SeenPointed,
  SeenScripted,
} from "../../../domain/acting/care/seen.ts";
import type { ToolsWorld } from "./tools.ts";

/** What these functions share in the page's world: put there by `installReading`. */
type Reading = {
  all(selector: string, within?: Element): Element[];
  has(element: Element, name: string): boolean;
  /** The beginning of the text that is shown, without that of `without`. */
  textOf(element: Element, without?: Element): string;
  /** What names it: labels, `aria-label`, its text and the alternatives in it. */
  nameText(element: Element): string;
  labelled(element: Element): string;
  closest(element: Element, selector: string): Element | null;
  isHidden(element: Element): boolean;
  blockOf(element: Element): Element | null;
  /** A computed colour; null for what is not written as `rgb()`. */
  colourOf(text: string): SeenPaint["colour"];
  /** The colour behind an element, if it is one colour that covers all; also that of the page. */
  behind(from: Element | null): SeenPaint["colour"];
  /** Of the style sheets of this origin, the first rules. */
  styleRules(): CSSStyleRule[];
  isCut(): boolean;
};
export type ReadingWorld = ToolsWorld & { svRead: Reading };

/** Runs in the page, in our isolated world, after `installTools`. */
export function installReading(maxRead: number, maxText: number, maxRules: number): void {
  const world = globalThis as unknown as ReadingWorld;
  const { attribute, isVisible, nameOf, parentOf } = world.svTools;
  let isCut = false;
  const has = (element: Element, name: string): boolean => Element.prototype.hasAttribute.call(element, name);
  const isHidden = (element: Element): boolean => attribute(element, "aria-hidden") === "true" || !isVisible(element);
  const all = (selector: string, within?: Element): Element[] => {
    const found = within
      ? Element.prototype.querySelectorAll.call(within, selector)
      : Document.prototype.querySelectorAll.call(document, selector);
    // Within an element, a few are enough.
    if (!within && found.length > maxRead) isCut = true;
    return [...found].slice(0, maxRead);
  };
  /** Names have what cannot be seen through its opacity, too. */
  const isSilent = (element: Element): boolean =>
    attribute(element, "aria-hidden") === "true" ||
    !Element.prototype.checkVisibility.call(element, { visibilityProperty: true });
  const textOf = (element: Element, without?: Element, isLeftOut = isHidden): string => {
    let text = "";
    const accept = (node: Node): number =>
      node === without ||
      (node instanceof Element && (isLeftOut(node) || /^(?:script|style|noscript|template)$/.test(nameOf(node))))
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT;
    const what = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
    const walker = Document.prototype.createTreeWalker.call(document, element, what, accept);
    for (let steps = 0; steps < 300 && text.length < maxText && walker.nextNode(); steps += 1) {
      const node = walker.currentNode;
      if (node instanceof Text) text += node.data.slice(0, maxText);
      else if (node instanceof Element && /^(?:br|p|div|li|td|th|h[1-6])$/.test(nameOf(node))) text += " ";
    }
    return text.replace(/\s+/g, " ").trim().slice(0, maxText);
  };
  const byIds = (element: Element, name: string): string =>
    attribute(element, name)
      .split(/\s+/)
      .flatMap((id) => {
        const target = id === "" ? null : Document.prototype.getElementById.call(document, id);
        return target
          ? [
              String(Reflect.get(Node.prototype, "textContent", target))
                .trim()
                .slice(0, maxText),
            ]
          : [];
      })
      .join(" ")
      .trim();
  const closest = (element: Element, selector: string): Element | null =>
    Element.prototype.closest.call(element, selector);
  const labelled = (element: Element): string => {
    const id = attribute(element, "id");
    const around = closest(element, "label");
    const labels = [...(id === "" ? [] : all(`label[for="${CSS.escape(id)}"]`)), ...(around ? [around] : [])];
    const texts = labels.map((label) => textOf(label, element, isSilent) || alternatives(label));
    return byIds(element, "aria-labelledby") || attribute(element, "aria-label").trim() || texts.join(" ").trim();
  };
  const alternatives = (element: Element): string =>
    all("img[alt],svg[aria-label],svg title", element)
      .map((one) => attribute(one, "alt") || attribute(one, "aria-label") || textOf(one))
      .join(" ")
      .trim();
  const nameText = (element: Element): string =>
    byIds(element, "aria-labelledby") ||
    attribute(element, "aria-label").trim() ||
    `${textOf(element, undefined, isSilent)} ${alternatives(element)}`.trim() ||
    attribute(element, "title").trim();
  const blockOf = (element: Element): Element | null => {
    let at = parentOf(element);
    for (let up = 0; at && up < 30; up += 1, at = parentOf(at))
      if (!/^(?:inline|contents)/.test(getComputedStyle(at).display)) return at;
    return null;
  };
  const colourOf = (text: string): SeenPaint["colour"] => {
    const numbers = /^rgba?\(([^)]*)\)$/.exec(text)?.[1]?.split(",").map(Number);
    const [red, green, blue, alpha = 1] = numbers ?? [];
    return red === undefined || green === undefined || blue === undefined ? null : [red, green, blue, alpha];
  };
  const behind = (from: Element | null): SeenPaint["colour"] => {
    for (let at = from; at; at = parentOf(at)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(at);
      const colour = colourOf(backgroundColor);
      if (backgroundImage !== "none" || opacity !== "1" || !colour) return null;
      if (colour[3] === 1) return colour;
      if (colour[3] > 0) return null;
    }
    return [255, 255, 255, 1];
  };
  const styleRules = (): CSSStyleRule[] => {
    let left = maxRules;
    const rulesOf = (list: CSSRuleList): CSSStyleRule[] =>
      [...list].flatMap((rule): CSSStyleRule[] => {
        left -= 1;
        if (left < 0) return [];
        if (rule instanceof CSSStyleRule) return [rule];
        return "cssRules" in rule ? rulesOf(rule.cssRules as CSSRuleList) : [];
      });
    const sheets = [...(Reflect.get(Document.prototype, "styleSheets", document) as StyleSheetList)];
    return sheets.flatMap((sheet) => {
      try {
        return rulesOf(sheet.cssRules);
      } catch {
        return [];
      }
    });
  };
  const shared = { all, has, textOf, nameText, labelled, closest, isHidden, blockOf };
  world.svRead = { ...shared, colourOf, behind, styleRules, isCut: () => isCut };
}

/** Runs in the page. */
export function seeTables(): Pick<Seen, "tables" | "preformatted"> {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf, attribute, nameOf } = svTools;
  const { all, textOf, isHidden, closest } = svRead;
  const MAX_TABLES = 40;
  const MAX_ROWS = 25;
  const MAX_CELLS = 15;
  const isBold = (cell: Element): boolean => {
    const inner = all("b,strong,font,span,p", cell).find((one) => textOf(one) === textOf(cell));
    return Number(getComputedStyle(inner ?? cell).fontWeight) >= 600;
  };
  const cellOf = (cell: Element): SeenCell => ({
    text:
      textOf(cell) ||
      all("img[alt]", cell)
        .map((image) => attribute(image, "alt"))
        .join(" ")
        .trim(),
    isHeader: nameOf(cell) === "th" || /^(?:column|row)header$/.test(attribute(cell, "role")),
    scope: attribute(cell, "scope") || (attribute(cell, "role") !== "" ? "role" : ""),
    isBold: isBold(cell),
    hasControl:
      all("input,select,textarea,button,a img,iframe", cell).length > 0 || attribute(cell, "aria-label") !== "",
    hasTable: all("table", cell).length > 0,
  });
  const tables = all("table").filter((table) => !isHidden(table));
  return {
    tables: tables.slice(0, MAX_TABLES).map((table) => {
      const rows = all("tr", table).filter((row) => closest(row, "table") === table);
      const caption = all("caption", table)[0];
      const first = all("td,th", table)[0];
      return {
        id: idOf(table),
        role: attribute(table, "role"),
        caption: caption ? textOf(caption) : "",
        isNested:
          all("table", table).length > 0 ||
          tables.some(
            (other) =>
              other !== table && closest(table, "table") !== null && Node.prototype.contains.call(other, table),
          ),
        rows: rows.slice(0, MAX_ROWS).map((row) => ({
          ...{ isInHead: closest(row, "thead") !== null, isInFoot: closest(row, "tfoot") !== null },
          cells: all("td,th", row)
            .filter((cell) => closest(cell, "tr") === row && getComputedStyle(cell).display !== "none")
            .slice(0, MAX_CELLS)
            .map(cellOf),
        })),
        numRows: rows.length,
        hasBorders: first !== undefined && Number.parseFloat(getComputedStyle(first).borderTopWidth) > 0,
        hasHeaders: all("[headers]", table).length > 0 || /^(?:grid|treegrid)$/.test(attribute(table, "role")),
      };
    }),
    preformatted: all("pre")
      .filter((one) => !isHidden(one) && all("code,span[class]", one).length === 0)
      .slice(0, MAX_TABLES)
      .map((one) => ({ id: idOf(one), text: String(Reflect.get(Node.prototype, "textContent", one)).slice(0, 2_000) })),
  };
}

/** Runs in the page. */
export function seeFields(): Pick<Seen, "fields" | "groups"> {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf, attribute, nameOf } = svTools;
  const { all, textOf, labelled, closest, isHidden, nameText } = svRead;
  const GROUPS = "fieldset,[role=group],[role=radiogroup]";
  const shown = all("input,select,textarea").filter(
    (field) => !isHidden(field) && attribute(field, "type") !== "hidden",
  );
  const questionOf = (field: Element): Element | null => {
    let at = closest(field, "p,li,div,td,dd,form");
    for (let up = 0; at && up < 3; up += 1) {
      const before = Reflect.get(Element.prototype, "previousElementSibling", at) as Element | null;
      if (before && all("input,select,textarea", before).length === 0 && textOf(before) !== "") return before;
      at = Reflect.get(Node.prototype, "parentElement", at) as Element | null;
    }
    return null;
  };
  const SAYS =
    /(?:^|[-_\s])(?:hint|help(?:text|block|er)?|error|errors|errorlist|invalid|feedback|description|form-text|validation|message|note)(?:$|[-_\s])/i;
  const refersTo = (field: Element, one: Element): boolean => {
    const ids = ["aria-describedby", "aria-errormessage", "aria-labelledby"].flatMap((name) =>
      attribute(field, name).split(/\s+/),
    );
    const inside = [one, ...all("[id]", one)].some(
      (each) => attribute(each, "id") !== "" && ids.includes(attribute(each, "id")),
    );
    const around = closest(one, "[id]");
    return inside || (around !== null && ids.includes(attribute(around, "id")));
  };
  /** Beside a field, or behind what is around it alone. */
  const hintOf = (field: Element): SeenField["hint"] => {
    const next = (one: Element): Element | null =>
      Reflect.get(Element.prototype, "nextElementSibling", one) as Element | null;
    const isOther = (one: Element): boolean =>
      /^(?:input|select|textarea|button|label)$/.test(nameOf(one)) ||
      all("input,select,textarea,button", one).length > 0;
    // Small print beside a choice may be a mark of what is chosen, as a number or a date is.
    const isChoice = /^(?:radio|checkbox)$/i.test(attribute(field, "type"));
    const says = (one: Element): boolean =>
      (SAYS.test(attribute(one, "class")) || (nameOf(one) === "small" && !isChoice)) &&
      textOf(one).length > 3 &&
      !isHidden(one);
    const behind = (one: Element): Element | undefined => {
      for (let at = next(one), steps = 0; at && steps < 3 && !isOther(at); at = next(at), steps += 1)
        if (says(at)) return at;
      return undefined;
    };
    const isWhole = (one: Element): boolean =>
      /^(?:form|fieldset|body|main)$/.test(nameOf(one)) || all("input,select,textarea", one).length > 1;
    let from: Element | null = field;
    for (let up = 0; from && up < 3; up += 1) {
      const at = behind(from);
      const isTold = at && (refersTo(field, at) || closest(at, "label") !== null);
      if (at)
        return isTold
          ? null
          : { id: idOf(at), text: textOf(at), isError: /error|invalid/i.test(attribute(at, "class")) };
      from = Reflect.get(Node.prototype, "parentElement", from) as Element | null;
      if (!from || isWhole(from)) return null;
    }
    return null;
  };
  const fields = shown.map((field): SeenField => {
    const group = closest(field, GROUPS);
    const form = closest(field, "form");
    const isChoice = /^(?:radio|checkbox)$/i.test(attribute(field, "type"));
    const question = isChoice ? questionOf(field) : null;
    const type = attribute(field, "type").toLowerCase();
    return {
      id: idOf(field),
      tag: nameOf(field) as SeenField["tag"],
      type,
      name: attribute(field, "name"),
      form: form ? idOf(form) : 0,
      label: labelled(field),
      placeholder: attribute(field, "placeholder").trim(),
      title: attribute(field, "title").trim(),
      autocomplete: attribute(field, "autocomplete").trim(),
      isOff: Element.prototype.matches.call(field, ":disabled"),
      group: group ? idOf(group) + 1 : 0,
      question: question ? textOf(question) : "",
      questionId: question ? idOf(question) : -1,
      hint: hintOf(field),
    };
  });
  const groups = all(GROUPS)
    .filter((group) => !isHidden(group))
    .map((group) => {
      const legend = all("legend", group).find((one) => closest(one, "fieldset") === group);
      const named = attribute(group, "aria-label") || (attribute(group, "aria-labelledby") ? nameText(group) : "");
      return {
        id: idOf(group),
        isFieldset: nameOf(group) === "fieldset",
        name: named || (legend ? nameText(legend) : ""),
        numFields: shown.filter((field) => closest(field, GROUPS) === group).length,
        hasLegend: legend !== undefined,
      };
    });
  return { fields, groups };
}

/** Runs in the page. */
export function seeLinks(): SeenLink[] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf, attribute, isVisible } = svTools;
  const { all, has, textOf, nameText, isHidden, blockOf, closest } = svRead;
  const base = Reflect.get(Node.prototype, "baseURI", document) as string;
  const links = all("a[href]");
  const targetOf = (link: Element): string => {
    const url = URL.parse(attribute(link, "href"), base);
    return url && /^https?:$/.test(url.protocol) ? url.href.slice(0, 500) : "";
  };
  const fragmentOf = (link: Element): SeenLink["fragment"] => {
    const href = attribute(link, "href").trim();
    if (!/^#.+/.test(href) || /^#(?:top|!|\/)/i.test(href)) return "none";
    let id = href.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      return "none";
    }
    const target = Document.prototype.getElementById.call(document, id) ?? all(`a[name="${CSS.escape(id)}"]`)[0];
    if (!target) return "gone";
    // What has no size of its own, as an anchor, may stand where it leads.
    const { display } = getComputedStyle(target);
    return display === "none" || !Element.prototype.checkVisibility.call(target, { visibilityProperty: true })
      ? "hidden"
      : "there";
  };
  const nextOf = (link: Element): number => {
    let at = Reflect.get(Node.prototype, "nextSibling", link) as Node | null;
    while (at instanceof Text && at.data.trim() === "")
      at = Reflect.get(Node.prototype, "nextSibling", at) as Node | null;
    const isLink = at instanceof Element && at.matches("a[href]") && isVisible(at);
    return isLink ? idOf(at as Element) : -1;
  };
  const CODE = "code,kbd,var,samp,math";
  const isFirst = new Set(links.slice(0, 6));
  return links
    .filter((link) => isFirst.has(link) || !isHidden(link))
    .map((link) => {
      const block = blockOf(link);
      const rel = attribute(link, "target").toLowerCase();
      return {
        id: idOf(link),
        name: nameText(link),
        title: attribute(link, "title"),
        href: attribute(link, "href"),
        target: targetOf(link),
        role: attribute(link, "role"),
        opensWindow: rel !== "" && !/^_(?:self|parent|top)$/.test(rel) && targetOf(link) !== "",
        hasPicture: all("img,svg", link).length > 0,
        hasCode: closest(link, `pre,${CODE}`) !== null || all(CODE, link).length > 0,
        next: has(link, "download") ? -1 : nextOf(link),
        around: block ? textOf(block, link) : "",
        fragment: fragmentOf(link),
        isFirst: isFirst.has(link),
        isHidden: isHidden(link),
      };
    });
}

/** Runs in the page. */
export function seeImages(): Pick<Seen, "images" | "media"> {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf, attribute, rectangle, nameOf } = svTools;
  const { all, has, textOf, nameText, isHidden, closest, blockOf } = svRead;
  const ACTS = "a[href],button,[role=button],[role=link]";
  const fileOf = (address: string): string => /([^/]+)$/.exec(address.split(/[?#]/)[0] ?? "")?.[1] ?? "";
  const besideOf = (image: Element): string => {
    const around = closest(image, `${ACTS},figure`);
    if (around) return textOf(around, image);
    const next = Reflect.get(Element.prototype, "nextElementSibling", image) as Element | null;
    return next ? textOf(next) : "";
  };
  const images = all("img,input[type=image]").filter(
    (image) => !isHidden(image) && attribute(image, "role") !== "presentation",
  );
  const shown = images.map((image): SeenImage => {
    const { width, height } = rectangle(image);
    const acting = closest(image, ACTS);
    return {
      id: idOf(image),
      kind: nameOf(image) === "img" ? "img" : "button",
      alt: has(image, "alt") ? attribute(image, "alt") : null,
      title: attribute(image, "title"),
      file: fileOf(attribute(image, "src")),
      beside: besideOf(image),
      ...{ width, height, acts: acting !== null, name: acting ? nameText(acting) : "" },
    };
  });
  const hasPicture = (one: Element): boolean => /url\(/.test(getComputedStyle(one).backgroundImage);
  const EMPTY = "div,span,figure,p,i,section,header,td,li";
  const isEmpty = (one: Element): boolean =>
    !/^(?:none|presentation)$/.test(attribute(one, "role")) &&
    nameText(one) === "" &&
    all("img,svg,canvas,video,iframe,object,input", one).length === 0;
  const backgrounds = [
    ...all(ACTS).filter((one) => !isHidden(one) && hasPicture(one)),
    ...all(EMPTY).filter((one) => hasPicture(one) && !closest(one, ACTS) && !isHidden(one) && isEmpty(one)),
  ].map((one): SeenImage => {
    const { width, height } = rectangle(one);
    const file = fileOf(/url\("?([^")]*)/.exec(getComputedStyle(one).backgroundImage)?.[1] ?? "");
    return {
      ...{ id: idOf(one), kind: "background", alt: null, title: attribute(one, "title"), file, beside: "" },
      ...{ width, height, acts: Element.prototype.matches.call(one, ACTS), name: nameText(one) },
    };
  });
  const PLAYER =
    /\/\/(?:www\.)?(?:youtube(?:-nocookie)?\.com\/embed|player\.vimeo\.com|(?:www\.)?dailymotion\.com\/embed)/;
  const media = all("audio,video,iframe[src]").flatMap((one): SeenMedia[] => {
    const name = nameOf(one);
    if (name === "iframe" && !PLAYER.test(attribute(one, "src"))) return [];
    // A film that nobody can give its sound back is a picture that moves.
    if (/[?&](?:background=1|(?=.*\bcontrols=0)(?=.*\bmuted?=1))/.test(attribute(one, "src"))) return [];
    // Sound is heard whether its controls are seen or not.
    if (name !== "audio" && isHidden(one)) return [];
    const sources = [one, ...all("source", one)].map((each) => attribute(each, "src"));
    // A sound that is part of the page is a signal, and no speech.
    if (name === "audio" && !sources.some((source) => source !== "" && !/^data:/i.test(source))) return [];
    const block = blockOf(one);
    const around = block
      ? `${textOf(block)} ${textOf((Reflect.get(Node.prototype, "parentElement", block) as Element | null) ?? block)}`
      : "";
    return [
      {
        id: idOf(one),
        kind: name === "iframe" ? "player" : (name as "audio" | "video"),
        around,
      },
    ];
  });
  return { images: [...shown, ...backgrounds], media };
}

/** Runs in the page. Elements with text of their own. */
export function seeBlocks(): SeenBlock[] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf, attribute, nameOf, rectangle, parentOf } = svTools;
  const { all, textOf, closest, isHidden } = svRead;
  const childrenOf = (element: Element): Node[] => [
    ...(Reflect.get(Node.prototype, "childNodes", element) as NodeList),
  ];
  const isInline = (element: Element): boolean => /^(?:inline|contents|none)/.test(getComputedStyle(element).display);
  /** It has text, and nothing but text and what is in a line with it. */
  const isBlock = (element: Element): boolean => {
    if (isInline(element)) return false;
    const children = childrenOf(element);
    return children.every((one) => !(one instanceof Element) || nameOf(one) === "br" || isInline(one));
  };
  const linesOf = (element: Element): string[] => {
    let lines = [""];
    const walker = Document.prototype.createTreeWalker.call(
      document,
      element,
      NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    );
    for (let steps = 0; steps < 400 && lines.length < 60 && walker.nextNode(); steps += 1) {
      const node = walker.currentNode;
      if (node instanceof Text) lines = [...lines.slice(0, -1), `${lines.at(-1)}${node.data.slice(0, 200)}`];
      else if (nameOf(node as Element) === "br") lines.push("");
    }
    const parts = nameOf(element) === "pre" ? lines.flatMap((line) => line.split("\n")) : lines;
    return parts.map((line) => line.replace(/\s+/g, " ").trim().slice(0, 200));
  };
  const withinOf = (element: Element, text: string): string => {
    const only = childrenOf(element).filter((one) => !(one instanceof Text) || one.data.trim() !== "");
    const [first] = only;
    return only.length === 1 && first instanceof Element && textOf(first) === text ? nameOf(first) : "";
  };
  const writtenBy = (element: Element): string =>
    ["::before", "::after"]
      .map((pseudo) => /^"(.*)"$/.exec(getComputedStyle(element, pseudo).content)?.[1] ?? "")
      .join(" ")
      .trim();
  /** How much text there is in the element behind it, unless that is a heading. */
  const lengthBehind = (element: Element): number => {
    const next = Reflect.get(Element.prototype, "nextElementSibling", element) as Element | null;
    const isText =
      next && (/^(?:ul|ol|div|table)$/.test(nameOf(next)) || (isBlock(next) && !/^h[1-6]$/.test(nameOf(next))));
    return isText ? textOf(next).length : 0;
  };
  const hasDirection = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = parentOf(at)) if (attribute(at, "dir") !== "") return true;
    return false;
  };
  const ELSEWHERE =
    "a,button,label,legend,summary,[role=button],[role=tab],[onclick],nav,header,footer,figure,h1,h2,h3,h4,h5,h6,[role=heading],dialog,form";
  const blocks = all(
    "p,div,li,dd,dt,td,th,pre,center,blockquote,span:not(pre span),h1,h2,h3,h4,h5,h6,address,figcaption,section,article,main,body",
  );
  return blocks.flatMap((element): SeenBlock[] => {
    if (isHidden(element) || !isBlock(element)) return [];
    const text = textOf(element);
    if (text === "") return [];
    const inner = withinOf(element, text);
    const lines = linesOf(element);
    const innermost = inner === "" ? element : (all(inner, element)[0] ?? element);
    const style = getComputedStyle(innermost);
    const own = getComputedStyle(element);
    const fontSize = Number.parseFloat(style.fontSize);
    return [
      {
        id: idOf(element),
        tag: nameOf(element),
        text,
        length: String(Reflect.get(Node.prototype, "textContent", element)).trim().length,
        lines: lines.filter((line) => line !== ""),
        numGaps: lines.filter((line, at) => line === "" && (lines[at - 1] ?? "") !== "" && (lines[at + 1] ?? "") !== "")
          .length,
        fontSize,
        isBold: Number(style.fontWeight) >= 600,
        isItalic: style.fontStyle === "italic",
        within: inner,
        align: own.textAlign,
        lineHeight: (Number.parseFloat(own.lineHeight) || 0) / Number.parseFloat(own.fontSize),
        width: rectangle(element).width,
        direction: own.direction === "rtl" ? "rtl" : "ltr",
        hasDirection: hasDirection(element),
        isInteractive: closest(element, ELSEWHERE) !== null,
        followedBy: lengthBehind(element),
        isInList: closest(element, "li,dl,td,th,[role=listitem]") !== null,
        isInForm: closest(element, "form") !== null,
        parent: idOf(parentOf(element) ?? element),
        generated: writtenBy(element),
      },
    ];
  });
}

/** Runs in the page. Handlers in attributes: what is attached by a script cannot be seen from here. */
export function seeScripted(): SeenScripted[] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf, attribute, nameOf } = svTools;
  const { all, has, nameText, isHidden } = svRead;
  const FOCUSABLE = "a[href],button,input,select,textarea,summary,[tabindex],[contenteditable]";
  return all("[onclick],[onfocus],[onmousedown],[onmouseup],[onpointerdown],[ontouchstart]")
    .filter((one) => !isHidden(one))
    .map((one) => ({
      id: idOf(one),
      tag: nameOf(one),
      role: attribute(one, "role"),
      name: nameText(one),
      click: ["onclick", "onmousedown", "onmouseup"].some((name) => has(one, name)),
      onfocus: attribute(one, "onfocus"),
      actsOnDown:
        ["onmousedown", "onpointerdown", "ontouchstart"].some((name) => has(one, name)) &&
        !["onclick", "onmouseup", "onpointerup", "ontouchend"].some((name) => has(one, name)),
      isFocusable: Element.prototype.matches.call(one, FOCUSABLE),
      hasControl: all(FOCUSABLE, one).length > 0,
    }));
}

/** Runs in the page. */
export function seeDragged(): Seen["dragged"] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { all, isHidden, nameText } = svRead;
  return all('[draggable="true"]')
    .filter((one) => !isHidden(one) && all("button,[role=button],select,input", one).length === 0)
    .slice(0, 1)
    .map((one) => ({ id: svTools.idOf(one), text: nameText(one) }));
}

/** Runs in the page. Placeholders that are shown, and borders of fields that are all around. */
export function seePaint(): SeenPaint[] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf, attribute, parentOf, nameOf } = svTools;
  const { all, isHidden, colourOf, behind } = svRead;
  const isText = (field: Element): boolean =>
    /^(?:textarea|select)$/.test(nameOf(field)) ||
    /^(?:|text|search|tel|url|email|number|password|date)$/i.test(attribute(field, "type"));
  /** What an editor keeps out of sight, to type into. */
  const isTucked = (field: Element): boolean => {
    for (let at = parentOf(field); at; at = parentOf(at)) {
      const { width, height } = svTools.rectangle(at);
      if ((width < 8 || height < 8) && /hidden|clip/.test(getComputedStyle(at).overflow)) return true;
    }
    return false;
  };
  const fields = all("input,textarea,select").filter(
    (field) =>
      isText(field) && !isHidden(field) && !isTucked(field) && !Element.prototype.matches.call(field, ":disabled"),
  );
  return fields.flatMap((field): SeenPaint[] => {
    const style = getComputedStyle(field);
    const painted = {
      id: idOf(field),
      fontSize: Number.parseFloat(style.fontSize),
      isBold: Number(style.fontWeight) >= 700,
    };
    const text = attribute(field, "placeholder").trim();
    const isShown = text !== "" && Element.prototype.matches.call(field, ":placeholder-shown");
    const placeholder = getComputedStyle(field, "::placeholder");
    const pale = colourOf(placeholder.color);
    const seen: SeenPaint[] = [];
    if (isShown && pale && style.opacity === "1")
      seen.push({
        ...{ ...painted, kind: "placeholder", text, filled: null, behind: behind(field) },
        colour: [pale[0], pale[1], pale[2], pale[3] * Number(placeholder.opacity)],
      });
    const sides = ["Top", "Right", "Bottom", "Left"] as const;
    const hasBorder = sides.every(
      (side) => Number.parseFloat(style[`border${side}Width`]) > 0 && style[`border${side}Style`] !== "none",
    );
    const isPlain =
      sides.every((side) => style[`border${side}Color`] === style.borderTopColor) && style.boxShadow === "none";
    if (hasBorder && isPlain && style.outlineStyle === "none" && style.backgroundImage === "none")
      seen.push({
        ...{ ...painted, kind: "border", text: "", colour: colourOf(style.borderTopColor) },
        ...{ behind: behind(parentOf(field)), filled: colourOf(style.backgroundColor) },
      });
    return seen;
  });
}

/** Runs in the page: animations that change what is seen from light to dark and back. */
export function seeFlashing(): Seen["flashing"] {
  const { idOf, rectangle, isVisible } = (globalThis as unknown as ReadingWorld).svTools;
  const found = new Map<string, Seen["flashing"][number]>();
  for (const animation of Document.prototype.getAnimations.call(document).slice(0, 300)) {
    const { effect, playState } = animation;
    if (playState !== "running" || !(effect instanceof KeyframeEffect) || !effect.target || effect.pseudoElement)
      continue;
    const { duration, iterations = 1, direction } = effect.getComputedTiming();
    if (typeof duration !== "number" || duration <= 0 || Number(iterations) < 4) continue;
    const changes = effect
      .getKeyframes()
      .some((frame) =>
        Object.keys(frame).some((name) => /^(?:opacity|visibility|background(?:Color)?|color|filter)$/.test(name)),
      );
    const { width, height } = rectangle(effect.target);
    const round = direction?.startsWith("alternate") ? 2 * duration : duration;
    const name = animation instanceof CSSAnimation ? animation.animationName : String(found.size);
    if (changes && isVisible(effect.target) && !found.has(name))
      found.set(name, { id: idOf(effect.target), perSecond: 1_000 / round, area: width * height });
  }
  return [...found.values()];
}

/** Runs in the page. Style sheets of other origins cannot be read. */
export function seePointed(): SeenPointed[] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { idOf } = svTools;
  const { all } = svRead;
  const MAX_FOUND = 10;
  /** What a rule says that shows something. */
  const shows = ({ style }: CSSStyleRule): boolean =>
    (style.display !== "" && style.display !== "none") ||
    style.visibility === "visible" ||
    Number(style.opacity || 0) > 0.5 ||
    /^(?:block|flex)$/.test(style.display) ||
    ["auto", "0px", "0"].includes(style.left);
  const selectors = svRead
    .styleRules()
    .flatMap((rule) => (shows(rule) ? rule.selectorText.split(",").map((one) => one.trim()) : []));
  const plain = (selector: string): string =>
    selector.replace(/:(?:hover|focus-within|focus-visible|focus|active)\b/g, ":*");
  const byFocus = new Set(selectors.filter((one) => /:focus/.test(one)).map(plain));
  // `:hover` is of what is around what it shows.
  const pointed = selectors.filter((one) => /:hover\b.*[\s>+~]/.test(one) && !byFocus.has(plain(one)));
  const found = new Map<number, SeenPointed>();
  for (const selector of new Set(pointed)) {
    let elements: Element[] = [];
    try {
      elements = all(selector.replace(/:hover\b/g, ""));
    } catch {
      continue;
    }
    for (const element of elements.slice(0, MAX_FOUND)) {
      const text = String(Reflect.get(Node.prototype, "textContent", element))
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, 100);
      const isShown = svTools.isVisible(element);
      const parent = svTools.parentOf(element);
      // What is in something hidden is not shown by this rule.
      if (isShown || text === "" || (parent && !svTools.isVisible(parent))) continue;
      const CONTROLS = "a[href],button,input,select,textarea";
      const own = Element.prototype.matches.call(element, CONTROLS) ? 1 : 0;
      const numControls = own + all(CONTROLS, element).length;
      found.set(idOf(element), { id: idOf(element), text, numControls });
    }
  }
  return [...found.values()].slice(0, MAX_FOUND);
}
