import type { CareFault, Seen, SeenBlock } from "./seen.ts";
import { short } from "./seen.ts";

/** Text that is a heading, a list or of another direction for who sees it, and for nobody else; and text that is hard to read. */
export function judgeBlocks({ blocks }: Pick<Seen, "blocks">): CareFault[] {
  const size = usualSize(blocks);
  return [
    ...blocks.flatMap((block) => [
      ...headings(block, size),
      ...lists(block),
      ...directions(block),
      ...generated(block),
      ...drawings(block),
    ]),
    ...presentation(blocks),
  ];
}

/** The size that most of the text has. */
function usualSize(blocks: readonly SeenBlock[]): number {
  const lengths = new Map<number, number>();
  for (const { fontSize, length } of blocks) lengths.set(fontSize, (lengths.get(fontSize) ?? 0) + length);
  return [...lengths].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 16;
}

const MAX_HEADING = 80;
/** What stands before a text and heads nothing: the label of a remark, or of a figure. */
const LABEL =
  /^(?:notes?|warning|tip|caution|important|see also|attention|danger|hint|info|example|new in|changed in|deprecated|hinweis|achtung|warnung|wichtig|remarque|nota|aviso|attenzione)\b|^(?:table|figure|fig\.|listing|example|equation|tabelle|abbildung|tableau)\s*[\d.]/i;

function headings(block: SeenBlock, size: number): CareFault[] {
  const { id, tag, text, length, lines, fontSize, isBold, within, followedBy, isInteractive, isInList, align } = block;
  if (!/^(?:p|div|span|font|center)$/.test(tag) || isInteractive || isInList || followedBy < 30) return [];
  const isShort = length >= 3 && length <= MAX_HEADING && lines.length === 1;
  if (!isShort || !/\p{L}{3}/u.test(text) || /[.,;:!?…]$/.test(text.trim()) || LABEL.test(text)) return [];
  const isLarge = fontSize >= size * 1.2;
  const isMarked = isBold || /^(?:b|strong|u|big|font)$/.test(within) || (align === "center" && within !== "");
  if (!isLarge && !isMarked) return [];
  const looks = isLarge ? `${Math.round((fontSize / size) * 100)} % of the text's size` : "bold";
  const summary = `"${short(text)}" looks like a heading (${looks}, alone before a text), and is none.`;
  return [{ rule: "sv-heading-markup", id, review: true, summary }];
}

const BULLET = /^\s*(?:[-–—*•·∙◦▪■►»✓+]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S/u;

function lists({ id, tag, lines, isInList }: SeenBlock): CareFault[] {
  if (isInList || /^(?:pre|code|address|td|th)$/.test(tag) || lines.length < 2) return [];
  const bulleted = lines.filter((line) => BULLET.test(line));
  if (bulleted.length < 2 || bulleted.length * 3 < lines.length * 2) return [];
  const summary = `${bulleted.length} lines here are a list for who sees them ("${short(bulleted[0] ?? "")}"), and no list for others.`;
  return [{ rule: "sv-list-markup", id, review: true, summary }];
}

const RTL = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;

function directions({ id, text, direction, hasDirection }: SeenBlock): CareFault[] {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const rtl = text.match(RTL)?.length ?? 0;
  if (letters < 12) return [];
  const rule = "sv-text-direction" as const;
  if (rtl * 10 > letters * 7 && direction === "ltr")
    return [
      {
        rule,
        id,
        review: !hasDirection,
        summary: `"${short(text)}" is written from right to left, and its direction is ltr.`,
      },
    ];
  if (rtl === 0 && direction === "rtl" && letters > 30 && /[.!?:]\s*$/.test(text))
    return [
      { rule, id, review: true, summary: `"${short(text)}" is written from left to right, and its direction is rtl.` },
    ];
  return [];
}

function generated({ id, generated: text }: SeenBlock): CareFault[] {
  if (!/\p{L}{3}/u.test(text)) return [];
  const summary = `A style sheet writes "${short(text)}" here: who reads without styles does not get it.`;
  return [{ rule: "sv-generated-text", id, review: true, summary }];
}

/** Pictures that are made of signs. */
function drawings({ id, tag, text, lines }: SeenBlock): CareFault[] {
  if (tag !== "pre" && lines.length < 3) return [];
  const signs = text.replace(/\s/g, "");
  const drawn = signs.match(/[^\p{L}\p{N}\s]/gu)?.length ?? 0;
  if (signs.length < 25 || drawn * 4 < signs.length * 3 || /[{};]\s*$/m.test(text)) return [];
  return [
    {
      rule: "sv-image-name",
      id,
      review: true,
      summary: "This seems to be a picture made of signs, without a text alternative.",
    },
  ];
}

const MIN_TEXT = 200;

/** One finding for each way: it is a rule of a style sheet. */
function presentation(blocks: readonly SeenBlock[]): CareFault[] {
  const texts = blocks.filter(({ tag, length }) => length >= MIN_TEXT && !/^(?:pre|code|h[1-6])$/.test(tag));
  const ways: readonly [string, (block: SeenBlock) => boolean][] = [
    ["is justified, so that its spaces differ", ({ align }) => align === "justify"],
    ["has lines closer than 1.2 of its size", ({ lineHeight }) => lineHeight > 0 && lineHeight < 1.15],
    ["is smaller than 9 px", ({ fontSize }) => fontSize < 9],
    ["is all in italics", ({ isItalic }) => isItalic],
    [
      "is all in capitals",
      ({ text }) => /\p{L}{2}/u.test(text) && text === text.toUpperCase() && text !== text.toLowerCase(),
    ],
    // About half of the size is a letter's width.
    [
      "has more than 120 characters in a line",
      ({ width, fontSize, length, lines }) => length > 240 * lines.length && width / (fontSize * 0.5) > 120,
    ],
  ];
  return ways.flatMap(([what, is]): CareFault[] => {
    const some = texts.filter(is);
    const [first] = some;
    if (!first) return [];
    const more = some.length > 1 ? ` So ${some.length === 2 ? "does one more" : `do ${some.length - 1} more`}.` : "";
    return [{ rule: "sv-text-presentation", id: first.id, review: true, summary: `This text ${what}.${more}` }];
  });
}
