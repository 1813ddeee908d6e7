import { visible } from "html-conformance/log-text";
import { urlText } from "../../../domain/addresses/page-variant.ts";
import { number, plural } from "../../../domain/plural.ts";
import { cut, oneLine, styled, type Terminal, wrap } from "../../terminal.ts";
import type { Detail } from "../options/options.ts";
import type { ComponentGroup, RuleGroup } from "./group-findings.ts";

/** A rule and its components as lines: those of the rule itself, then those of each component. */
export type RuleText = { head: string[]; components: string[][] };

const INDENT = 2;

/** How a result is laid out. */
export type Layout = {
  detail: Detail;
  terminal: Terminal;
  /** A page's URL as it is shown, for example the file that it comes from. */
  place: (url: string) => string;
  /** A text with URLs, such as a reason, as it is shown. */
  reason: (text: string) => string;
};

/** How rules are laid out. */
export type RuleLayout = Pick<Layout, "terminal" | "place" | "reason"> & {
  /** Characters of a message, which may quote a page at length. */
  maxMessage: number;
};

export function ruleText(rule: RuleGroup, { terminal, place, reason, maxMessage }: RuleLayout): RuleText {
  const [first] = rule.components;
  const messageLines = (text: string) =>
    indented(cut(oneLine(reason(text)), { ...terminal, width: maxMessage }, 0), terminal, INDENT);
  const message = first && rule.components.every((one) => one.message === first.message) ? first.message : undefined;
  return {
    head: [
      ...titleOf(rule, terminal),
      ...(message === undefined ? [] : messageLines(message)),
      ...aboutRule(rule, terminal),
    ],
    components: rule.components.map((component) => [
      ...(message === undefined ? messageLines(component.message) : []),
      ...placesOf(component, terminal, place),
    ]),
  };
}

function titleOf({ kind, rule, severity, impact, howMany, numPages }: RuleGroup, terminal: Terminal): string[] {
  const name = visible(rule ?? "without a rule");
  const style = severity === "outside" ? "dim" : severity;
  const engine = impact === null ? kind : `${kind} ${impact}`;
  const count = `${engine}, ${plural(howMany, "element")} on ${plural(numPages, "page")}`;
  const title = `${styled(terminal, style, severity)}  ${styled(terminal, "bold", name)}`;
  if (`${severity}  ${name}  ${count}`.length <= terminal.width) return [`${title}  ${count}`];
  return [title, ...indented(count, terminal, INDENT)];
}

function aboutRule({ criteria, helpUrl }: RuleGroup, terminal: Terminal): string[] {
  const names = criteria.map(({ number: criterion, title, level }) => `${criterion} ${title} (${level})`);
  const about = [
    ...(names.length > 0 ? [`WCAG ${names.join(", ")}`] : []),
    ...(helpUrl === null ? [] : [visible(helpUrl)]),
  ];
  const together = about.join(" · ");
  const fits = together.length + INDENT <= terminal.width;
  return (fits && about.length > 0 ? [together] : about)
    .flatMap((text) => indented(text, terminal, INDENT))
    .map((line) => styled(terminal, "dim", line));
}

/** Where it is: in the source of its first page, or by its selector; its markup; its pages. */
function placesOf(component: ComponentGroup, terminal: Terminal, place: (url: string) => string): string[] {
  const { target, line, column, html, urls, url, numPages, howMany } = component;
  const indent = " ".repeat(2 * INDENT);
  const shown = urls.map((one) => visible(urlText(place(one))));
  const position =
    line === null ? undefined : [visible(place(url)), line, ...(column === null ? [] : [column])].join(":");
  const more = numPages > shown.length ? ` and ${number(numPages - shown.length)} more` : "";
  const others = position === undefined ? shown : shown.slice(1);
  const lines = [
    ...(position === undefined ? [] : [position]),
    ...(target === null ? [] : [cut(oneLine(target), terminal, indent.length)]),
    ...(html === null ? [] : [cut(oneLine(html), terminal, indent.length)]),
  ].map((text) => indent + text);
  if (others.length > 0) {
    const also = position === undefined ? "on" : "also on";
    const times = howMany > numPages ? ` (${plural(howMany, "element")})` : "";
    lines.push(...indented(`${also} ${others.join(", ")}${more}${times}`, terminal, 2 * INDENT));
  } else if (howMany > numPages) lines.push(`${indent}${plural(howMany, "element")} of this kind`);
  return lines;
}

function indented(text: string, terminal: Terminal, indent: number): string[] {
  return wrap(text, terminal, indent).map((line) => " ".repeat(indent) + line);
}
