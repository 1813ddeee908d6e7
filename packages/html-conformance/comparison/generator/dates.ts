import type { Random } from "./random.ts";

type Kind = "date" | "month" | "week" | "local" | "global" | "yearless";

const YEARS = ["2024", "2023", "2000", "1900", "0001", "9999", "12345", "1066", "0000", "999", "2100"];
const MONTHS = ["01", "02", "02", "04", "06", "12", "11", "1", "13", "00"];
const DAYS = ["01", "15", "28", "29", "30", "31", "1", "00", "32"];
const WEEKS = ["01", "26", "52", "53", "1", "00", "54"];
const OFFSETS = [
  "Z",
  "+00:00",
  "-05:00",
  "+0530",
  "+14:00",
  "-12:00",
  "z",
  "+24:00",
  "-00:00",
  "+1:00",
  "",
  "+05:60",
  " Z",
];

/** A date or one that is nearly so. */
export function drawDate(kind: Kind): (random: Random) => string {
  return (random) => {
    const usual = (all: readonly string[], common: number) =>
      random.percent(85) ? random.pick(all.slice(0, common)) : random.pick(all);
    const month = `${usual(YEARS, 3)}-${usual(MONTHS, 6)}`;
    const date = `${month}-${usual(DAYS, 3)}`;
    const between = random.percent(85) ? "T" : random.pick([" ", "t", "", "  "]);
    switch (kind) {
      case "month":
        return month;
      case "week":
        return `${usual(YEARS, 3)}-${random.percent(95) ? "W" : "w"}${usual(WEEKS, 3)}`;
      case "date":
        return date;
      case "local":
        return `${date}${between}${drawTime(random)}`;
      case "global":
        return `${date}${between}${drawTime(random)}${usual(OFFSETS, 6)}`;
      case "yearless":
        return `${random.pick(["", "", "--"])}${usual(MONTHS, 6)}-${usual(DAYS, 4)}`;
    }
  };
}

export function drawTime(random: Random): string {
  const hours = random.percent(90) ? random.pick(["00", "09", "12", "23"]) : random.pick(["24", "9", "-1", ""]);
  const minutes = random.percent(90) ? random.pick(["00", "30", "59"]) : random.pick(["60", "5", ""]);
  const seconds = random.percent(60)
    ? ""
    : random.pick([":00", ":59", ":30.5", ":30.123", ":60", ":5", ":30.1234", ":30.", ":"]);
  return `${hours}:${minutes}${seconds}`;
}

export function drawDuration(random: Random): string {
  return random.pick([
    "P1D",
    "PT1H",
    "PT1H30M",
    "P1DT2H3M4S",
    "PT4.5S",
    "PT",
    "P",
    "P1W",
    "P1Y",
    "1h",
    "1h 30m",
    "4h 18m 3s",
    "3.5s",
    "1w 2d",
    "1d 1d",
    "2 h",
    "1H",
    "pt1h",
    "PT1.2345S",
    "PT1.5H",
    " 1s ",
    "1",
    "12345",
    "2024",
    "0000",
    "999",
    "P1DT",
    "1m 1s 1h",
  ]);
}
