import { judgeSeen } from "../../../domain/acting/care/judge.ts";
import { report, type Walker } from "./findings.ts";
import {
  installReading,
  seeBlocks,
  seeDragged,
  seeFields,
  seeFlashing,
  seeImages,
  seeLinks,
  seePaint,
  seeScripted,
  seeTables,
} from "./see.ts";

/** The elements of a kind that are read of a page, and the beginning of a text. */
const MAX_READ = 1_000;
const MAX_TEXT = 400;
/** The rules of style sheets that are read. */
const MAX_RULES = 5_000;
/** The most findings of a rule on a page. */
const MAX_FOUND = 10;

/** What an auditor would ask of a page that is read with care: tables, fields, links, images, texts. */
export async function readWithCare(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  await limit.command(tab.call(main.world, installReading, MAX_READ, MAX_TEXT, MAX_RULES));
  const seen = {
    ...(await limit.command(tab.call(main.world, seeTables))),
    ...(await limit.command(tab.call(main.world, seeFields))),
    links: await limit.command(tab.call(main.world, seeLinks)),
    ...(await limit.command(tab.call(main.world, seeImages))),
    blocks: await limit.command(tab.call(main.world, seeBlocks)),
    scripted: await limit.command(tab.call(main.world, seeScripted)),
    dragged: await limit.command(tab.call(main.world, seeDragged)),
    painted: await limit.command(tab.call(main.world, seePaint)),
    flashing: await limit.command(tab.call(main.world, seeFlashing)),
  };
  if (await limit.command(tab.call(main.world, readInPart))) limit.cut(`more than ${MAX_READ} elements of a kind`);
  for (const [rule, faults] of Map.groupBy(judgeSeen(seen), (fault) => fault.rule))
    await report(walker, main, faults, { most: MAX_FOUND, what: `findings of ${rule}` });
}

/** Runs in the page. */
function readInPart(): boolean {
  return (globalThis as unknown as { svRead: { isCut(): boolean } }).svRead.isCut();
}
