import { LinkChecker } from "linkinator";

/** Checks the links within a site, and prints what is broken as JSON: `node linkinator.js URL`. */
const [url = ""] = process.argv.slice(2);
const { origin } = new URL(url);
const { links } = await new LinkChecker().check({
  path: url,
  recurse: true,
  concurrency: 20,
  checkCss: true,
  checkFragments: true,
  linksToSkip: async (link) => !link.startsWith(origin),
});
const broken = links.filter(({ state }) => state === "BROKEN").map((link) => link.url);
console.log(JSON.stringify([...new Set(broken)]));
