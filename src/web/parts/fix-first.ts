import type { Attributes, List } from "../../api/documents.ts";
import { FIX_FIRST, sumOf } from "../../domain/causes/causes.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { textAt } from "../plot/frame.ts";
import { formatNumber, formatShare, texts } from "../texts/en.ts";
import { whoHasWhat } from "./assignment.ts";
import { causeItem } from "./cause.ts";
import { icon } from "./icon.ts";
import { isOwned, reportPath } from "./report.ts";

const t = texts.report.fixFirst;

/**
 * The changes that remove the most errors, with a bar that shows how much of all they are.
 *
 * @returns also who has which of all changes, and how many causes of how many errors there are
 */
export async function fixFirst(
  context: PageContext,
  report: Attributes<"report">,
): Promise<{ first: Html; who: Html; causes: { howMany: number; errors: number } | null }> {
  const path = `/reports/${context.params.report_id}/causes`;
  const owned = isOwned(context, report);
  const weight = owned && context.query.get("weigh") === "met" ? "met" : "how_many";
  const { data, meta } = await context.api.get<List<"cause">>(path, {
    sort: `${weight}-desc`,
    "page[size]": String(FIX_FIRST),
  });
  const most = Math.max(0, ...data.map(({ attributes }) => attributes.how_many));
  if (most === 0) return { first: null, who: null, causes: null };
  const { left_out } = meta;
  const first = sumOf(data.map(({ attributes }) => attributes));
  const notVerified = first.how_many - first.verified - first.estimated;
  const all = meta.how_many + left_out.how_many;
  const numCauses = meta.total + left_out.causes;
  const others = numCauses - data.length;
  const list = html`<section class="card grid" aria-labelledby="fix-first">
    <div class="line">
      <h2 id="fix-first">${t.title}</h2>
      ${data[0]?.attributes.met != null && weights(context, weight)}
      <p class="push"><a href=${context.href(reportPath(context, "/causes"))}>${t.all(numCauses)}</a></p>
    </div>
    <div class="grid close">
      <p>${t.sum(data.length)} <b>${t.removed(first.how_many, all)}</b>. ${t.once}</p>
      ${parts(
        data.map(({ attributes }) => attributes),
        all,
      )}
      <p class="line near quiet small">
        <span>${icon("verified")} ${t.verified(first.verified)}</span>
        ${first.estimated > 0 && html`<span>${icon("estimated")} ${t.estimated(first.estimated)}</span>`}
        ${notVerified > 0 && html`<span>${t.notVerified(notVerified)}</span>`}
        ${others > 0 && html`<span>${t.left(all - first.how_many, others)}</span>`}
      </p>
      <details class="small"><summary>${t.howSure}: ${texts.causes.knownSums(meta)}</summary><p>${texts.causes.knownMeans}</p></details>
    </div>
    <ol class="fixes">${data.map((cause, index) => causeItem(context, cause, { number: index + 1, all, most, owned }))}</ol>
  </section>`;
  return { first: list, who: owned ? whoHasWhat(context, meta) : null, causes: { howMany: numCauses, errors: all } };
}

/** By what the causes are ordered: by what they remove, or by how often visitors meet them. */
function weights(context: PageContext, current: keyof typeof t.weights): Html {
  const to = (weight: string) =>
    context.href(reportPath(context), {
      path: context.query.get("path") ?? undefined,
      weigh: weight === "met" ? weight : undefined,
    });
  return html`<nav class="seg screen" aria-label=${t.weigh}>
    ${Object.entries(t.weights).map(([weight, text]) => html`<a href=${to(weight)} aria-current=${weight === current ? "true" : undefined}>${text}</a>`)}
  </nav>`;
}

type Part = Pick<Attributes<"cause">, "how_many" | "known_by">;

/** How much of all errors each change removes, in their order; outlined where that is not verified. */
function parts(list: readonly Part[], all: number): Html {
  let at = 0;
  const said = list.map(
    ({ how_many, known_by }, index) => `${index + 1} ${formatShare(how_many, all)}, ${texts.causes.knownBy[known_by]}`,
  );
  const rest = all - list.reduce((sum, { how_many }) => sum + how_many, 0);
  const label = `${t.shares} ${[...said, ...(rest > 0 ? [t.rest(formatShare(rest, all))] : [])].join("; ")}`;
  return html`<svg class="parts" height="20" role="img" aria-label=${label}>
    <rect class="rest" width="100%" height="20" />
    ${list.map(({ how_many, known_by }, index) => {
      const [x, width] = [(at / all) * 100, (how_many / all) * 100];
      at += how_many;
      const shape = known_by === "verified" ? { y: 0, height: 20 } : { class: "about", y: 0.5, height: 19 };
      return html`<rect x=${`${x}%`} width=${`${Math.max(0.2, width - 0.25)}%`} ...${shape} />
        ${width > 3 && textAt(`${x + width / 2}%`, 2, formatNumber(index + 1))}`;
    })}
  </svg>`;
}
