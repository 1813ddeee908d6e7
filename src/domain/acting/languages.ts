/** A text of a page, without what is of no language. */
export type PageText = {
  /** The element that it is in. */
  id: number;
  text: string;
  /** The element whose `lang` says its language, and what that says. */
  of: number;
  lang: string;
  /** Somebody else's words: they say nothing of the page's language, and have one of their own. */
  isQuoted?: boolean;
};

export type PageTexts = {
  /** The element of the document, and its language. */
  root: number;
  lang: string;
  texts: readonly PageText[];
};

/** Says how probable it is that a text is of a language (ISO 639-3), the most probable first. */
export type Detect = (text: string) => readonly (readonly [language: string, probability: number])[];

/** Something that is not of the language that the page says. */
export type LanguageFault = {
  rule: "sv-page-language" | "sv-part-language";
  id: number;
  /** A person has to judge it. */
  review: boolean;
  summary: string;
};

/** Says what another detector takes the language of a text for, as HTML names it. Two detectors err on different texts. */
export type Confirm = (text: string) => string | undefined;

/** Characters from which a text can be judged: of the whole page, of a part with a language of its own, of a paragraph. */
const MIN_LENGTH = { page: 60, part: 60, paragraph: 100 };
/** A page with less text that is of another language is for a person to judge. */
const MIN_ERROR = 120;
/** How probable the other language must be at least, and the declared one at most. */
const MIN_PROBABILITY = 0.5;
const MAX_DECLARED = 0.05;
/** The characters of a text that are judged. */
const MAX_LENGTH = 3_000;

/** The languages that can be told, by their codes in HTML. */
const codes: Readonly<Record<string, string>> = {
  ...{ afr: "af", ara: "ar", aze: "az", bel: "be", ben: "bn", bul: "bg", cat: "ca", ces: "cs", ckb: "ckb", cmn: "zh" },
  ...{ dan: "da", deu: "de", ell: "el", eng: "en", est: "et", eus: "eu", fin: "fi", fra: "fr", hau: "ha", heb: "he" },
  ...{ hin: "hi", hrv: "hr", hun: "hu", hye: "hy", ind: "id", isl: "is", ita: "it", jpn: "ja", kat: "ka", kaz: "kk" },
  ...{ kor: "ko", lit: "lt", mar: "mr", mkd: "mk", nld: "nl", nob: "no", pes: "fa", pol: "pl", por: "pt", ron: "ro" },
  ...{ run: "rn", rus: "ru", slk: "sk", spa: "es", srp: "sr", swe: "sv", tgl: "tl", tur: "tr", ukr: "uk", vie: "vi" },
};
/** Other codes of the same languages. */
const aliases: Readonly<Record<string, string>> = {
  nb: "no",
  nn: "no",
  fil: "tl",
  iw: "he",
  in: "id",
  prs: "fa",
  yue: "zh",
};
/** Languages that short texts do not tell apart. */
const near = [
  ...[
    ["hr", "sr"],
    ["no", "da", "sv"],
    ["cs", "sk"],
    ["af", "nl"],
    ["ru", "uk", "be", "bg", "mk", "sr"],
  ],
  ...[
    ["ca", "es"],
    ["fa", "ar", "ckb"],
    ["hi", "mr"],
    ["tr", "az"],
    ["zh", "ja"],
  ],
];
const known = new Set(Object.values(codes));

/**
 * Texts of other languages than their page or part says; where the whole page is, its paragraphs are not listed.
 *
 * @param detectors the second one is asked about what the first one takes for another language, and must agree
 * @param reviews whether parts and paragraphs are judged, which a person has to look at
 */
export function judgeLanguages(
  { root, lang, texts }: PageTexts,
  detectors: { detect: Detect; confirm: Confirm },
  reviews = true,
): LanguageFault[] {
  return [...Map.groupBy(texts, (one) => one.of)].flatMap(([of, some]) =>
    of === root || reviews
      ? judgePart(of, some, of === root ? lang : (some[0]?.lang ?? ""), detectors, { reviews, isPage: of === root })
      : [],
  );
}

/** The texts whose language one element says. */
function judgePart(
  of: number,
  texts: readonly PageText[],
  declared: string,
  detectors: Detectors,
  { reviews, isPage }: { reviews: boolean; isPage: boolean },
): LanguageFault[] {
  const own = texts.filter(({ isQuoted }) => !isQuoted);
  const other = otherLanguage(own, declared, isPage ? MIN_LENGTH.page : MIN_LENGTH.part, detectors);
  if (!other) return reviews ? paragraphsIn(texts, declared, detectors) : [];
  const review = !isPage || other.weight < MIN_ERROR || !other.isSure;
  if (review && !reviews) return [];
  const rule = isPage ? ("sv-page-language" as const) : ("sv-part-language" as const);
  const what = isPage ? "The text of the page" : "The text of this element";
  const summary = `${what} seems to be ${nameOf(other.language)}, and its lang is "${declared}".`;
  return [{ rule, id: of, review, summary }];
}

/** Each text that is of another language than is declared. */
function paragraphsIn(texts: readonly PageText[], declared: string, detectors: Detectors): LanguageFault[] {
  return texts.flatMap(({ id, text }) => {
    const { verdict, language } = judge(text, declared, MIN_LENGTH.paragraph, detectors);
    if (verdict !== "other") return [];
    const summary = `This text seems to be ${nameOf(language)}, and its lang is "${declared}".`;
    return [{ rule: "sv-part-language" as const, id, review: true, summary }];
  });
}

/**
 * The language that texts are of together; undefined for the declared one, for several, and where that cannot be said.
 * `isSure`: what is too short to be judged alone is no text of the declared language, either.
 */
function otherLanguage(
  all: readonly PageText[],
  declared: string,
  minLength: number,
  detectors: Detectors,
): { language: string; weight: number; isSure: boolean } | undefined {
  // What a page says again and again it says once, whatever numbers and signs differ.
  const texts = [...new Map(all.map((one) => [wordsOf(one.text) ?? one.text, one])).values()];
  // What is a name, or a list of them, would hide the sentences beside it.
  const sentences = texts.flatMap(({ text }) => wordsOf(text) ?? []);
  const together = judge(sentences.join(" "), declared, minLength, detectors);
  if (together.verdict !== "other") return undefined;
  let [own, other] = [0, 0];
  const rest: string[] = [];
  for (const { text } of texts) {
    const { verdict } = judge(text, declared, MIN_LENGTH.part / 2, detectors);
    if (verdict === "declared") own += weightOf(text);
    else if (verdict === "other") other += weightOf(text);
    else rest.push(text);
  }
  // A page of two languages is not one of a wrong language.
  if (texts.length > 1 && other < 2 * own) return undefined;
  // The words of a menu, and labels: a frame that nobody has translated may have more sentences than the page.
  const short = rest.join(" ");
  const isDeclared = own > 0 || speaks(short, { declared, other: together.language }, detectors);
  if (isDeclared && other < 2 * weightOf(short)) return undefined;
  // What is repeated makes nobody surer.
  const words = new Set(sentences.join(" ").toLowerCase().split(/\s+/));
  return { language: together.language, weight: weightOf([...words].join(" ")), isSure: !isDeclared };
}

/** Letters of another script that are more than a name in a list of languages. */
const MIN_LETTERS = 12;

/** Whether short texts, names among them, may be of the language that is declared: by their script, if that tells it. */
function speaks(
  text: string,
  { declared, other }: { declared: string; other: string },
  { detect, confirm }: Detectors,
): boolean {
  const expected = primaryOf(declared) ?? "";
  const letters = scriptOf(expected);
  // Names and what a program is called have Latin letters in every language.
  if (letters && !letters.source.includes("Latn") && letters.source !== scriptOf(other)?.source)
    return weightOf(text.match(letters)?.join("") ?? "") >= MIN_LETTERS;
  const isExpected = (language: string | undefined) =>
    language === expected || near.some((group) => group.includes(expected) && group.includes(language ?? ""));
  const part = text.slice(0, MAX_LENGTH);
  return part.trim() !== "" && (isExpected(codes[detect(part)[0]?.[0] ?? ""]) || isExpected(confirm(part)));
}

/** A sign of the script that a language is written in; undefined where that is several. */
function scriptOf(language: string): RegExp | undefined {
  const script = new Intl.Locale(language).maximize().script ?? "";
  const names: Readonly<Record<string, string>> = { Hans: "Hani", Hant: "Hani", Kore: "Hang", Jpan: "Hira" };
  return language === "" || script === "" ? undefined : new RegExp(`\\p{Script=${names[script] ?? script}}`, "gu");
}

type Detectors = Parameters<typeof judgeLanguages>[1];

type Judgement = { verdict: "declared" | "unknown"; language?: undefined } | { verdict: "other"; language: string };

function judge(text: string, declared: string, minLength: number, { detect, confirm }: Detectors): Judgement {
  const expected = primaryOf(declared);
  const words = wordsOf(text);
  if (expected === undefined || words === undefined || weightOf(words) < minLength) return { verdict: "unknown" };
  const detected = detect(words.slice(0, MAX_LENGTH)).map(([code, probability]) => [codes[code], probability] as const);
  const [[top, probability] = ["", 0]] = detected;
  const isNear = (language: string | undefined) =>
    language === expected || near.some((group) => group.includes(expected) && group.includes(language ?? ""));
  if (isNear(top)) return { verdict: "declared" };
  const ofDeclared = Math.max(0, ...detected.flatMap(([code, one]) => (isNear(code) ? [one] : [])));
  const isOther =
    top !== undefined &&
    probability >= MIN_PROBABILITY &&
    ofDeclared <= MAX_DECLARED &&
    !(expected === "en" && isTechnicalEnglish(words));
  const agrees = (language: string) => {
    const other = confirm(words.slice(0, MAX_LENGTH));
    return other === language || near.some((group) => group.includes(language) && group.includes(other ?? ""));
  };
  return isOther && agrees(top) ? { verdict: "other", language: top } : { verdict: "unknown" };
}

/**
 * The long words of technical English are those of Romance languages, so that the detector takes it for Catalan. The short
 * ones are not: two different ones, and one in twelve.
 */
function isTechnicalEnglish(words: string): boolean {
  const all = words.toLowerCase().split(/[^\p{L}]+/u);
  const short = all.filter((word) => /^(?:the|and|of|for|with|from|that|this|are|which)$/.test(word));
  return new Set(short).size > 1 && 12 * short.length >= all.length;
}

/** The language of a tag as `codes` names it; undefined for one that cannot be told. */
function primaryOf(tag: string): string | undefined {
  const primary = tag.trim().toLowerCase().split(/[-_]/)[0] ?? "";
  const code = aliases[primary] ?? primary;
  return known.has(code) ? code : undefined;
}

/** A text without words of no language: addresses, numbers, code, abbreviations. Undefined for lists of names, and for Latin that only fills. */
function wordsOf(text: string): string | undefined {
  const words = text
    .split(/\s+/)
    .filter((word) => !/[\d_/\\{}<>=()[\]$#|@*+~^]|\w[.:]\w|\p{Ll}\p{Lu}|^\p{Lu}{2,}\W*$/u.test(word));
  const cased = words.filter((word) => /^\P{L}*[\p{Lu}\p{Ll}]/u.test(word));
  const capitals = cased.filter((word) => /^\P{L}*\p{Lu}/u.test(word));
  // In Korean, Japanese or Arabic, the only words with capitals are names.
  const isCased = 2 * cased.join("").length > words.join("").length;
  if (isCased && 2 * capitals.length > cased.length) return undefined;
  const fillers = words.filter((word) => FILLERS.test(word));
  return fillers.length > 2 ? undefined : words.join(" ");
}

const FILLERS =
  /^(?:lorem|ipsum|dolor|amet|consectetur|consectetuer|adipiscing|elit|eiusmod|tempor|incididunt|labore|dolore|aliqua|vestibulum|mauris|nunc|pellentesque|malesuada)\W*$/i;

/** A sign of Chinese or a syllable of Japanese says as much as several letters. */
function weightOf(text: string): number {
  const signs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return text.length + 2 * signs;
}

const names = new Intl.DisplayNames("en", { type: "language" });

function nameOf(language: string): string {
  return names.of(language) ?? language;
}
