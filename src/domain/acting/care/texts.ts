import type { CareFault, Seen, SeenBlock } from "./seen.ts";
import { short } from "./seen.ts";

/** Text that is a heading, a list or of another direction for who sees it, and for nobody else; and text that is hard to read. */
export function judgeBlocks({ blocks }: Pick<Seen, "blocks">): CareFault[] {
  // In a manual of much code its paragraphs are larger than most of the text, and no headings.
  const size = Math.max(usualSize(blocks), usualSize(blocks.filter(({ tag }) => tag === "p")));
  return [
    ...blocks.flatMap((block) => [
      ...headings(block, size),
      ...lists(block),
      ...directions(block),
      ...generated(block),
      ...drawings(block),
      ...blanks(block),
      ...wordsOfSenses(block),
    ]),
    ...listsOfBlocks(blocks),
    ...sections(blocks),
    ...presentation(blocks),
  ];
}

/** The size that most of the text has. */
function usualSize(blocks: readonly SeenBlock[]): number {
  const lengths = new Map<number, number>();
  for (const { fontSize, length } of blocks) lengths.set(fontSize, (lengths.get(fontSize) ?? 0) + length);
  return [...lengths].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

const MAX_HEADING = 80;
/** What stands before a text and heads nothing: the label of a remark, or of a figure. */
const LABEL =
  /^(?:notes?|warning|tip|caution|important|see also|attention|danger|hint|info|example|new in|changed in|deprecated|hinweis|achtung|warnung|wichtig|remarque|nota|aviso|attenzione)\b|^(?:table|figure|fig\.|listing|example|equation|tabelle|abbildung|tableau)\s*[\d.]/i;

function headings(block: SeenBlock, size: number): CareFault[] {
  if (/^h[1-6]$/.test(block.tag) && block.length > 120 && /[.!]$/.test(block.text.trim())) {
    const summary = `"${short(block.text)}" is a heading of ${block.length} characters, and seems to be a text that is to look like one.`;
    return [{ rule: "sv-heading-markup", id: block.id, review: true, summary }];
  }
  const { id, tag, text, length, lines, fontSize, isBold, within, followedBy, isInteractive, isInList, align } = block;
  if (!/^(?:p|div|span|font|center)$/.test(tag) || isInteractive || isInList || followedBy < 30) return [];
  // What is a link or a button altogether leads to something, and heads nothing.
  if (/^(?:a|button)$/.test(within)) return [];
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

/** Blocks beside each other, each of which begins as an item does. */
function listsOfBlocks(blocks: readonly SeenBlock[]): CareFault[] {
  const faults: CareFault[] = [];
  let run: SeenBlock[] = [];
  const end = (): void => {
    const [first] = run;
    if (first && run.length >= 3) {
      const summary = `${run.length} paragraphs here are a list for who sees them ("${short(first.text)}"), and no list for others.`;
      faults.push({ rule: "sv-list-markup", id: first.id, review: true, summary });
    }
    run = [];
  };
  for (const block of blocks) {
    const { tag, parent, text, isInList, lines } = block;
    const isItem = !isInList && /^(?:p|div|span)$/.test(tag) && lines.length === 1 && BULLET.test(text);
    const [first] = run;
    if (!isItem || (first && first.parent !== parent)) end();
    if (isItem) run.push(block);
  }
  end();
  return faults;
}

/** Paragraphs made by two breaks, and words whose letters are set apart by blanks. */
function blanks({ id, tag, text, length, lines, numGaps, isInteractive }: SeenBlock): CareFault[] {
  const rule = "sv-blank-markup" as const;
  if (/^(?:pre|code|address)$/.test(tag)) return [];
  const spaced = /(?:^|\s)((?:\p{Lu}\s){4,}\p{Lu})(?:\s|$)/u.exec(text)?.[1];
  // Letters in their order are an index.
  const letters = spaced?.split(" ") ?? [];
  if (spaced !== undefined && letters.some((letter, at) => letter <= (letters[at - 1] ?? "")))
    return [{ rule, id, review: true, summary: `"${short(spaced)}" is one word whose letters are read one by one.` }];
  const long = lines.filter((line) => line.length > 40);
  if (numGaps < 2 || long.length < 3 || length < 160 || isInteractive) return [];
  const summary = `${long.length} paragraphs of this text ("${short(lines[0] ?? "")}") are set apart by empty lines (<br><br>), and are one for others.`;
  return [{ rule, id, review: true, summary }];
}

const COLOURS =
  "red|green|blue|yellow|orange|pink|purple|grey|gray|rot(?:en|em)?|grün(?:en)?|blau(?:en)?|gelb(?:en)?|rouges?|verts?|bleus?|rojos?|verdes?|azul(?:es)?";
const THINGS = "button|link|icon|field|box|sign|arrow|tab|knopf|schaltfläche|feld|bouton|champ|botón|campo";
const DOES = "press|click|tap|select|choose|push|use|klicken|drücken|wählen|cliquez|appuyez|pulse|haga clic";
/** What is to be used is told by its shape, or by where it is on the screen. */
const SENSES = new RegExp(
  `\\b(?:${DOES})\\b[^.!?“”"„«]{0,40}\\b(?:(?:round|square|triangular|large|big|small|${COLOURS})\\s+(?:\\w+\\s+)?(?:${THINGS})\\b|(?:${THINGS})\\b[^.!?“”"„«]{0,20}\\b(?:on|to|at|in) (?:the|your) (?:bottom |top |upper |lower )?(?:right|left)\\b)[^“”"„«]*$`,
  "iu",
);
/** What something means is told by its colour. */
const BY_COLOUR = new RegExp(
  `\\b(?:fields?|items?|entries|names?|rows?|dates?|books|products|questions|labels?|words|felder|einträge|champs|campos)\\s+(?:\\w+\\s+){0,3}(?:in|marked|shown|highlighted|printed|rot|en)\\s+(?:in\\s+)?(?:${COLOURS})\\b`,
  "iu",
);

/** Of a manual nobody knows of which screen it speaks: in a form it is of this one. */
function wordsOfSenses({ id, text, isInForm, tag }: SeenBlock): CareFault[] {
  if (/^(?:pre|code|h[1-6])$/.test(tag)) return [];
  if (isInForm && SENSES.test(text))
    return [
      {
        rule: "sv-sensory-words",
        id,
        review: true,
        summary: `"${short(text)}" tells what to use by its shape, place or colour, and not by its name.`,
      },
    ];
  const by = BY_COLOUR.exec(text)?.[0];
  if (by === undefined || /\b(?:and|or|with|marked with|\*)\s*(?:an? )?(?:asterisk|star|\*)/i.test(text)) return [];
  const summary = `"${short(by)}": whether something besides the colour tells this has to be looked at.`;
  return [{ rule: "sv-colour-words", id, review: true, summary }];
}

/** So many characters are several screens. */
const MAX_WITHOUT_HEADING = 2_000;

/** One finding: where the longest text begins that no heading divides. */
function sections(blocks: readonly SeenBlock[]): CareFault[] {
  let [first, length]: [SeenBlock | undefined, number] = [undefined, 0];
  let longest: { first: SeenBlock; length: number } | undefined;
  for (const block of blocks) {
    if (/^h[1-6]$/.test(block.tag)) [first, length] = [undefined, 0];
    // What belongs to a term or an item has that before it.
    else if (block.tag === "p" && !block.isInList) {
      first ??= block;
      length += block.length;
      if (length > (longest?.length ?? MAX_WITHOUT_HEADING)) longest = { first, length };
    }
  }
  if (!longest) return [];
  const summary = `The ${Math.floor(longest.length / 100) * 100} characters that begin here have no heading.`;
  return [{ rule: "sv-section-headings", id: longest.first.id, review: true, summary }];
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
      ({ tag, width, fontSize, length, lines }) =>
        !/^t[dh]$/.test(tag) && length > 240 * lines.length && width / (fontSize * 0.5) > 120,
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
