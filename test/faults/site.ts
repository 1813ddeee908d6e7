import { createRandom } from "../../packages/html-conformance/comparison/generator/random.ts";
import { type Route, type Site, serveSite } from "../support/site.ts";

const PAGES = 30;
/** Faults of HTML and of accessibility, some of each on every page. */
const faults = [
  "<p><div>A block in a paragraph</div></p>",
  "<img src='/picture.png'>",
  "<a href='#nowhere'></a>",
  "<label for='missing'>Name</label><input name='name'>",
  "<ul><b>Not an item</b></ul>",
  "<button aria-hidden='true' tabindex='0'>Hidden</button>",
  "<table border='1'><tr><td>1</td></tr></table>",
  "<p style='color: #ccc; background: #fff'>Hard to read</p>",
  "<span id='twice'>1</span><span id='twice'>2</span>",
  "<h4>A heading that skips levels</h4>",
];

/** Always the same site: pages of 2 to 60 kB, a redirect, a missing page, a page that is not HTML. */
export async function serveFaultySite(): Promise<Site> {
  const random = createRandom(12);
  const routes: Record<string, Route> = {
    "/moved": { status: 302, headers: { location: "/page/1" } },
    "/data.json": { headers: { "content-type": "application/json" }, body: "{}" },
  };
  for (let number = 0; number < PAGES; number++) {
    const links = [number * 2 + 1, number * 2 + 2]
      .filter((next) => next < PAGES)
      .map((next) => `<a href="/page/${next}">Page ${next}</a>`);
    const text = Array.from({ length: 10 + random.below(250) }, (_, line) => `<p>Line ${line} of page ${number}.</p>`);
    const some = random.shuffle(faults).slice(0, 2 + random.below(6));
    routes[number === 0 ? "/" : `/page/${number}`] = `<!DOCTYPE html>
<html lang="en"><head><title>Page ${number}</title></head><body><main><h1>Page ${number}</h1>
${[...links, '<a href="/moved">Moved</a>', '<a href="/missing">Missing</a>', '<a href="/data.json">Data</a>'].join("\n")}
${random.shuffle([...text, ...some]).join("\n")}
</main></body></html>`;
  }
  return serveSite(routes);
}
