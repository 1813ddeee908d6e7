import type { Attributes } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { titleOf } from "./finding.ts";
import { settingNames } from "./series.ts";
import { address } from "./text.ts";

const t = texts.changes;

type Changes = NonNullable<Attributes<"comparison">["changes"]>;

/** What is not the same in two runs besides what was found: settings, engines, pages. */
export function whatChanged({ settings, engines, pages }: Changes): Html {
  const added = listed(pages.added, pages.added_urls);
  const removed = listed(pages.removed, pages.removed_urls);
  const rows: [name: string, value: Html][] = [
    ...settings.map(({ name, from, to }): [string, Html] => [
      settingNames([name]),
      turned(settingText(from), settingText(to)),
    ]),
    ...engines.map(({ kind, from, to }): [string, Html] => [titleOf(kind), turned(from ?? t.notRun, to ?? t.notRun)]),
    [texts.pages.title, turned(formatNumber(pages.from), formatNumber(pages.to))],
    ...(added ? [[t.added(pages.added), added] as [string, Html]] : []),
    ...(removed ? [[t.removed(pages.removed), removed] as [string, Html]] : []),
    ...(pages.failed_from !== null && pages.failed_to !== null && pages.failed_from + pages.failed_to > 0
      ? [[t.checkFailed, turned(formatNumber(pages.failed_from), formatNumber(pages.failed_to))] as [string, Html]]
      : []),
  ];
  return html`<section class="card grid close" aria-labelledby="else">
    <h2 id="else">${t.whatElse}</h2>
    <dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
  </section>`;
}

function turned(from: string, to: string): Html {
  return from === to ? html`${to}, ${texts.states.persisting}` : html`${from} → <b>${to}</b>`;
}

/** A setting's value as JSON, without quotation marks around texts. */
function settingText(json: string | null): string {
  return json === null ? t.notShown : json.replace(/^"(.*)"$/, "$1");
}

function listed(count: number, urls: readonly string[]): Html {
  const left = count - urls.length;
  return (
    count > 0 &&
    html`${urls.map((url, index) => html`${index > 0 && ", "}${address(url)}`)}${left > 0 && ` ${texts.count.others(left)}`}`
  );
}
