import { parseArgs } from "node:util";
import type { Application } from "./application.ts";
import { djangoAdmin } from "./django-admin.ts";
import { dokuwiki } from "./dokuwiki.ts";
import { checkManuals, manualsTable } from "./manuals.ts";
import { mediawiki } from "./mediawiki.ts";
import { openedText } from "./open-left-out.ts";
import { oscar } from "./oscar.ts";
import { outcomeText, summaryOf, tableOf } from "./outcome-text.ts";
import { phpmyadmin } from "./phpmyadmin.ts";
import { roundcube } from "./roundcube.ts";
import { checkApplication, type Outcome, openByHand } from "./run.ts";
import { sampleOf } from "./sample.ts";
import { wagtail } from "./wagtail.ts";
import { wordpress } from "./wordpress.ts";

// This folder exists to show that a check that is signed in does no harm to applications that people run: each is installed, filled,
// checked, and compared with itself. One role of one application takes two to six minutes on two cores, all about an hour and a half.

/**
 * Checks applications signed in, and compares all rows and files before and after:
 *
 *     npm run apps -- [APPLICATION …] [--role ROLE] [--pages 120] [--by-hand] [--open-left-out] [--recorded] [--keep] [--checkout FOLDER] [--check-option=OPTION …]
 *     npm run apps -- manuals [--pages 1000]
 *
 * Needs Debian and root, for what has to be installed. Ends with 1 if something changed that the application's list of harmless
 * changes does not name. --checkout has the code of another checkout do the checks, to compare.
 * --by-hand opens a sample of the pages by plain requests, too, on fresh data. --open-left-out opens one of each form of address that was
 * left out as acting, when all is compared, and says which really act. --recorded signs administrators in by recordings (recordings/).
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    role: { type: "string", multiple: true },
    pages: { type: "string" },
    checkout: { type: "string" },
    depth: { type: "string", default: "acting" },
    "by-hand": { type: "boolean", default: false },
    recorded: { type: "boolean", default: false },
    "open-left-out": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    "check-option": { type: "string", multiple: true, default: [] },
  },
});

const applications: readonly Application[] = [
  wordpress,
  mediawiki,
  dokuwiki,
  djangoAdmin,
  wagtail,
  oscar,
  roundcube,
  phpmyadmin,
];
const chosen = applications.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (positionals.includes("manuals")) {
  const read = await checkManuals(Number(values.pages ?? 1_000), ({ name, pages, signedIn, leftOut }) =>
    console.log(
      `${name}, ${signedIn ? "with a cookie" : "signed out"}: ${pages} pages, ${leftOut.length} left out by a word`,
    ),
  );
  console.log(manualsTable(read));
  if (read.some(({ signedIn, leftOut }) => !signedIn && leftOut.length > 0)) process.exitCode = 1;
  process.exit();
}
const unknown = positionals.filter((name) => !applications.some((one) => one.name === name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}. There are: ${applications.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}

const size = {
  maxPages: Number(values.pages ?? 120),
  depth: values.depth,
  extra: values["check-option"],
  recorded: values.recorded,
  ...(values.checkout && { checkout: values.checkout }),
};
const { keep } = values;
const outcomes: Outcome[] = [];
const broken: string[] = [];
for (const application of chosen) {
  const roles = Object.keys(application.roles).filter((name) => values.role?.includes(name) ?? true);
  try {
    const version = await application.install();
    console.log(`${application.name} ${version}`);
    for (const role of roles) await checkRole(application, role, version);
  } catch (error) {
    broken.push(application.name);
    console.error(`${application.name} could not be checked: ${(error as Error).message}`);
  }
}
console.log(tableOf(outcomes));
if (broken.length > 0) console.error(`Could not be checked: ${broken.join(", ")}.`);
if (broken.length > 0 || outcomes.some(({ changes, application }) => summaryOf(changes, application).harm > 0))
  process.exitCode = 1;

async function checkRole(application: Application, role: string, version: string): Promise<void> {
  const outcome = await checkApplication(application, role, size, {
    keep,
    version,
    opensLeftOut: values["open-left-out"],
  });
  outcomes.push(outcome);
  console.log(outcomeText(outcome));
  if (outcome.opened.length > 0) console.log(openedText(outcome.opened));
  if (!values["by-hand"]) return;
  const pages = sampleOf(outcome);
  const { checkout } = values;
  const changes = await openByHand(application, role, pages, { keep, ...(checkout && { checkout }) });
  console.log(`  ${pages.length} of these pages opened by hand:\n${summaryOf(changes, application).text}`);
}
