import type { Random } from "./random.ts";

const LANGUAGES = ["en", "de", "fr", "zh", "EN", "sr", "art", "gsw", "ar", "no"];
const SCRIPTS = ["", "", "", "-Latn", "-Cyrl", "-Hant", "-latn", "-Xxxx"];
const REGIONS = ["", "", "-US", "-AT", "-419", "-us", "-XX", "-001", "-UK"];
const VARIANTS = ["", "", "", "", "-1996", "-scouse", "-valencia", "-rozaj-biske", "-1996-1996", "-a1b2c", "-fonipa"];
const EXTENSIONS = ["", "", "", "", "-u-co-phonebk", "-x-own", "-a-b", "-t-de", "-u", "-x"];
const WHOLE = [
  "",
  "x-own",
  "i-klingon",
  "art-lojban",
  "zh-min-nan",
  "en-GB-oed",
  "zh-cmn",
  "ar-arb",
  "iw",
  "e",
  "xx",
  "english",
  "en_US",
  "en-",
  "-en",
  "en--US",
  "mul",
  "und",
  "zxx",
  "qaa",
  "de-DE-DE",
  "zh-yue-HK",
  "i-default",
  "sgn-US",
  "abcdefghi",
  "12",
  "en-Latn",
  "ja-Jpan",
  "sh",
  "mo",
  "en-a-bbb-x-a",
  "de-ch-1901",
];

/** A language tag, or one that is nearly so. */
export function drawLanguage(random: Random): string {
  if (random.percent(50)) return random.pick(["en", "de", "fr", "en-US", "zh-Hant"]);
  if (random.percent(40)) return random.pick(WHOLE);
  return (
    random.pick(LANGUAGES) +
    random.pick(SCRIPTS) +
    random.pick(REGIONS) +
    random.pick(VARIANTS) +
    random.pick(EXTENSIONS)
  );
}
