import type { Guide, GuideExample } from "../../domain/guides/guide.ts";
import type { RenderedGuide } from "../../domain/guides/guides.ts";
import { type SuccessCriterion, understandingUrl } from "../../domain/success-criteria.ts";
import { contentSecurityPolicy, escaped, htmlDocument } from "../http/html-page.ts";

const style = `
:root { color-scheme: light dark; }
body { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre { border: 1px solid; padding: 0.75rem; white-space: pre-wrap; }
`;

/** The policy of all pages about guides. */
export const guidePolicy = contentSecurityPolicy(style, "'none'");

const GOOD_PRACTICE = "This is good practice. No success criterion of WCAG asks for it.";

/** The page of one guide. Addresses are relative: a proxy may serve the API under a path of its own. */
export function guidePage({ guide, parts }: RenderedGuide): string {
  const { kind, rule, engine, title, criteria, before, after } = guide;
  // One step up from each part of /guides/html/img/alt but the last one.
  const up = "../".repeat(rule.split("/").length);
  const content = [
    `<p>Rule <code>${escaped(rule)}</code> of the engine ${escaped(engine)}.</p>`,
    ...(kind === "a11y" && criteria.length === 0 ? [`<p>${GOOD_PRACTICE}</p>`] : []),
    ...parts.map(({ heading, html }) => `<h2>${heading}</h2>\n${html}`),
    `<h2>Before</h2>\n${exampleHtml(before)}`,
    `<h2>After</h2>\n${exampleHtml(after)}`,
    `<h2>Read more</h2>\n<ul>\n${references(guide).join("\n")}\n</ul>`,
    `<p><a href="${up}../guides">All guides</a></p>`,
  ];
  return htmlDocument({ title, content: content.join("\n"), style });
}

/** The page that lists all guides. */
export function guideListPage(guides: readonly Guide[]): string {
  const lists = [...Map.groupBy(guides, ({ engine }) => engine)].map(([engine, ofEngine]) => {
    const entries = ofEngine.map(
      ({ kind, rule, title }) =>
        `<li><a href="guides/${kind}/${rule}">${escaped(title)} <code>${escaped(rule)}</code></a></li>`,
    );
    return `<h2>Rules of ${escaped(engine)}</h2>\n<ul>\n${entries.join("\n")}\n</ul>`;
  });
  return htmlDocument({ title: "Guides", content: lists.join("\n"), style });
}

function exampleHtml({ source }: GuideExample): string {
  return `<pre><code>${escaped(source)}</code></pre>`;
}

function references({ section, criteria }: Guide): string[] {
  return [
    ...(section === undefined ? [] : [`<li><a href="${escaped(section)}">${escaped(nameOf(section))}</a></li>`]),
    ...criteria.map(criterionHtml),
  ];
}

function criterionHtml(criterion: SuccessCriterion): string {
  const { number, title, level } = criterion;
  const name = `Understanding WCAG 2.2, ${number} ${title} (level ${level})`;
  return `<li><a href="${understandingUrl(criterion)}">${escaped(name)}</a></li>`;
}

/** The names of standards by the beginning of their addresses; the first that fits counts. */
const standards: readonly (readonly [prefix: string, name: string])[] = [
  ["https://html.spec.whatwg.org/", "HTML Standard"],
  ["https://url.spec.whatwg.org/", "URL Standard"],
  ["https://www.w3.org/TR/WCAG22/", "WCAG 2.2"],
  ["https://www.w3.org/TR/charmod", "Character Model for the World Wide Web"],
  ["https://www.w3.org/TR/wai-aria", "WAI-ARIA"],
  ["https://www.w3.org/TR/html-aria", "ARIA in HTML"],
  ["https://www.w3.org/TR/CSP", "Content Security Policy"],
  ["https://www.w3.org/TR/SVG", "SVG"],
  ["https://www.w3.org/TR/css", "CSS"],
  ["https://www.w3.org/TR/mediaqueries", "Media Queries"],
  ["https://www.w3.org/TR/xml", "XML"],
  ["https://www.w3.org/WAI/ARIA/apg/", "ARIA Authoring Practices Guide"],
  ["https://www.w3.org/WAI/", "Web Accessibility Initiative"],
];

/** The standard and the part that an address names: `HTML Standard: images.html#alt`. */
function nameOf(section: string): string {
  const known = standards.find(([prefix]) => section.startsWith(prefix));
  const [, part = ""] = /([^/]+)\/?$/.exec(section) ?? [];
  return `${known?.[1] ?? new URL(section).hostname}: ${part}`;
}
