import { escaped } from "../escaped-html.ts";
import { monthAfter, nameOf, titleOf } from "../months/calendar.ts";
import { monthHeadline, monthSubject, rateText } from "../months/sentences.ts";
import type { Helps, MonthTold } from "../months/told.ts";
import { number } from "../plural.ts";
import type { Links } from "./messages.ts";
import { wrapped } from "./wrapped.ts";

/** A line of a mail: what it is about, its number, and what is said below it. */
type Line = { name: string; value?: string; tone?: "bad" | "good"; below?: string; url?: string | undefined };
type Section = { title: string; lines: readonly Line[] };

const who = {
  template: "developers: parts that many pages share",
  content: "editors: texts and pictures",
  design: "designers: colours and sizes",
} as const;

function sectionsOf(told: MonthTold, links: Links): Section[] {
  const { totals, before, limits, num_sites, away, came, roles, turns, worse, better, not_checked } = told;
  const siteUrl = (id: string) => (links.baseUrl === undefined ? undefined : `${links.baseUrl}/sites/${id}`);
  const moved = (
    sites: readonly (MonthTold["better"][number] & { helps?: Helps | null })[],
    all: number,
    tone: "bad" | "good",
  ): Line[] => [
    ...sites.map(({ name, id, owner, from, to, helps = null }) => {
      const below = helps ? helped(helps, owner) : owner;
      return {
        ...{ name, value: `${from.toFixed(1)} → ${to.toFixed(1)}`, tone, url: siteUrl(id) },
        ...(below !== null && { below }),
      };
    }),
    ...others(all - sites.length),
  ];
  const all = roles.template + roles.content + roles.design;
  const lastMonth = before.sites > 0 ? `after ${rateText(before)} in ${nameOf(monthAfter(told.month, -1))}: ` : "";
  const sections: Section[] = [
    {
      title: "",
      lines:
        totals.sites === 0
          ? []
          : [
              {
                ...{ name: "Errors per page", value: rateText(totals) },
                below: `${lastMonth}${number(totals.errors)} errors on ${number(totals.pages)} pages`,
              },
              {
                ...{ name: "Sites that meet their limits", value: `${number(limits.met)} of ${number(num_sites)}` },
                below: `${number(limits.not_met)} do not, ${number(limits.none)} have no limits`,
              },
              {
                name: "Went away",
                value: number(away.errors),
                below: `and ${number(came.errors)} came, by rule and site`,
              },
              { name: "Critical", value: number(totals.critical), below: "errors and warnings" },
            ],
    },
    { title: "Got worse (errors per page)", lines: moved(worse, turns.worse, "bad") },
    { title: "Got better (errors per page)", lines: moved(better, turns.better, "good") },
    {
      title: "Could not be checked",
      lines: [
        ...not_checked.map(({ name, id, owner, last }) => ({
          ...{ name, url: siteUrl(id) },
          below: [last ? `Last on ${last.day}, then ${last.rate.toFixed(1)} per page.` : "Never yet.", owner ?? ""]
            .join(" ")
            .trim(),
        })),
        ...others(told.num_not_checked - not_checked.length),
      ],
    },
    {
      title: "Who can fix what is left",
      lines:
        all === 0
          ? []
          : (["template", "content", "design"] as const)
              .toSorted((a, b) => roles[b] - roles[a])
              .map((role) => ({
                ...{ name: role, value: `${number(roles[role])}, ${Math.round((roles[role] / all) * 100)} %` },
                below: who[role],
              })),
    },
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

/** What helps most, by how much, and who has it. */
function helped({ title, errors, assignee }: Helps, owner: string | null): string {
  return `${title}: −${number(errors)}; ${assignee ?? owner ?? "nobody has it"}`;
}

const others = (left: number): Line[] => (left > 0 ? [{ name: `and ${number(left)} more` }] : []);

function meaningOf({ month, criteria, worse }: MonthTold): string[] {
  const { all, fails, nothing_found, not_judged } = criteria;
  return [
    `An error is what a program has found to be wrong for certain. Per page: errors divided by checked pages. The change is from the last complete run of ${nameOf(monthAfter(month, -1))} to that of ${nameOf(month)}.`,
    ...(worse.some(({ helps }) => helps !== null)
      ? ["Below a site that got worse is the one change that removes the most of its errors, and who has it."]
      : []),
    ...(all === 0
      ? []
      : [
          `Of ${all} criteria of WCAG 2.2, A and AA, ${fails} fail on at least one site, for ${nothing_found} nothing was found, and ${not_judged} only people can judge.`,
        ]),
  ];
}

/** A month as a mail: the same numbers as its page, no table, no picture, nothing that is loaded. */
export function monthMail(
  told: MonthTold,
  links: Links,
  { reason, unsubscribe }: { reason: string; unsubscribe: string | undefined },
): { subject: string; text: string; html: string } {
  const subject = monthSubject(told);
  const parts = {
    ...{ title: `Monthly report, ${titleOf(told.month)}`, headline: monthHeadline(told) },
    url: links.baseUrl === undefined ? undefined : `${links.baseUrl}/months/${told.month}`,
    pdf: told.pdf,
    ...{ sections: sectionsOf(told, links), meaning: meaningOf(told), reason, unsubscribe },
  };
  return { subject, text: textOf(parts), html: htmlOf(subject, parts) };
}

type Parts = {
  title: string;
  headline: string;
  url: string | undefined;
  /** Whether there is a PDF beside it. */
  pdf: boolean;
  sections: readonly Section[];
  meaning: readonly string[];
  reason: string;
  unsubscribe: string | undefined;
};

const NO_WAY_OUT = "Who runs the service can end these mails.";

const pdfOf = (url: string): string => `${url}/report.pdf`;

function textOf({ title, headline, url, pdf, sections, meaning, reason, unsubscribe }: Parts): string {
  const blocks = [
    title.toUpperCase(),
    headline,
    ...(url === undefined ? [] : [`The whole report:\n${url}`]),
    ...(url === undefined || !pdf ? [] : [`As PDF, when you are signed in:\n${pdfOf(url)}`]),
    ...sections.map(({ title: of, lines }) =>
      [
        ...(of === "" ? [] : [of.toUpperCase(), ""]),
        ...lines.flatMap(({ name, value, below }) => [
          value === undefined ? name : `${name}: ${value}`,
          ...(below === undefined ? [] : [`  ${below}`]),
        ]),
      ].join("\n"),
    ),
    "WHAT THE NUMBERS MEAN",
    ...meaning,
    `--\n${reason}\n${unsubscribe === undefined ? NO_WAY_OUT : `End these mails: ${unsubscribe}`}`,
  ];
  return `${blocks.map((block) => block.split("\n").flatMap(wrapped).join("\n")).join("\n\n")}\n`;
}

const tones = { text: "#16191d", quiet: "#565f6b", bad: "#b3123d", good: "#13693a", accent: "#3949c6" } as const;
type Tone = keyof typeof tones;
/** Colours stand inline, for programs that drop a style: that is for dark windows alone. */
const coloured = (tone: Tone, more = "") => `class="${tone}" style="color:${tones[tone]}${more}"`;
const DARK = [
  ...[
    "body{background-color:#0e1013!important}main{background-color:#15181c!important;border-color:#2a2f36!important}",
  ],
  ...[".text{color:#e7eaee!important}.quiet{color:#9da6b2!important}.bad{color:#ff8aa3!important}"],
  ".good{color:#6ed49a!important}.accent{color:#a4b0ff!important}",
].join("");

function htmlOf(subject: string, { title, headline, url, pdf, sections, meaning, reason, unsubscribe }: Parts): string {
  const line = ({ name, value, tone = undefined, below, url: to }: Line) => {
    const end = value === undefined ? "" : `<b ${coloured(tone ?? "text", ";float:right")}>${escaped(value)}</b>`;
    const what = to === undefined ? escaped(name) : link(to, name);
    const small = below === undefined ? "" : `<br><small ${coloured("quiet")}>${escaped(below)}</small>`;
    return `<p ${coloured("text", ";margin:0;padding:6px 0;border-top:1px solid #9da6b2")}>${end}${what}${small}</p>`;
  };
  const shown = sections.map(
    ({ title: of, lines }) => `${of === "" ? "" : `${heading(of)}\n`}${lines.map(line).join("\n")}`,
  );
  const quiet = (html: string) => `<p ${coloured("quiet", ";margin:0 0 8px")}>${html}</p>`;
  const end = unsubscribe === undefined ? escaped(NO_WAY_OUT) : link(unsubscribe, "End these mails");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(subject)}</title>
<style>@media (prefers-color-scheme:dark){${DARK}}</style>
</head>
<body style="margin:0;padding:16px;background-color:#f6f7f9;font:16px/1.45 sans-serif">
<main style="display:block;max-width:600px;margin:0 auto;padding:20px;background-color:#ffffff;border:1px solid #dde1e6">
${quiet(escaped(title))}
<h1 ${coloured("text", ";font-size:22px;line-height:1.25;margin:0 0 12px")}>${escaped(headline)}</h1>
${url === undefined ? "" : `<p>${link(url, "Read the whole report")}${pdf ? `, or ${link(pdfOf(url), "as PDF")} when you are signed in` : ""}</p>\n`}${shown.join("\n")}
${heading("What the numbers mean")}
${meaning.map((one) => quiet(escaped(one))).join("\n")}
${quiet(`${escaped(reason)} ${end}`)}
</main>
</body>
</html>
`;
}

function heading(text: string): string {
  return `<h2 ${coloured("text", ";font-size:16px;margin:24px 0 8px")}>${escaped(text)}</h2>`;
}

function link(url: string, text: string): string {
  return `<a href="${escaped(url)}" ${coloured("accent")}>${escaped(text)}</a>`;
}
