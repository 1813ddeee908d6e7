import { html } from "../html.ts";
import type { Attempt, PageContext, View } from "../page.ts";
import { input, problems } from "../parts/form.ts";
import { texts } from "../texts/en.ts";
import { providerPart } from "./provider.ts";
import { passwordInputs } from "./set-up.ts";

const t = texts.join;

/** Who was invited, by whom, to what. */
export type Invited = { secret: string; name: string; mail: string; by: string; role: string | null };

/** The page of an invitation: a way to sign in is chosen there. */
export function joinView(context: PageContext, { secret, name, mail, by, role }: Invited, attempt?: Attempt): View {
  return {
    title: t.title,
    isNarrow: true,
    status: attempt ? 422 : 200,
    content: html`<div class="card grid large">
      <h1>${t.title}</h1>
      <p>${t.what(by)} ${role && html`${t.role} <b>${role}</b>.`}</p>
      ${context.provider !== undefined && html`${providerPart(context, { name: context.provider, awaySince: undefined }, undefined)}<p class="small quiet">${t.byProvider(mail)}</p><h2>${t.byPassword}</h2>`}
      <form class="grid" method="post" action=${context.href(`/join/${secret}`)}>
        ${problems(attempt, ["name", "password", "password_again"])}
        ${input({ name: "name", label: texts.setUp.name, help: texts.setUp.nameHelp, value: name, required: true, attempt })}
        ${passwordInputs(attempt)}
        <p><button>${t.submit}</button></p>
      </form>
    </div>`,
  };
}

/** An invitation that is unknown, accepted or over: all the same, so that nobody learns which. */
export function noInvitationView(): View {
  return {
    title: t.over,
    isNarrow: true,
    status: 404,
    content: html`<div class="card grid large"><h1>${t.over}</h1><p>${t.overWhat}</p></div>`,
  };
}
