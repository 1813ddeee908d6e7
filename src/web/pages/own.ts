import { totpUri } from "../../domain/accounts/totp.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext, View } from "../page.ts";
import { copyField } from "../parts/copy.ts";
import { hiddenFields, input, problems } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { qrCode } from "../parts/qr-code.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { texts } from "../texts/en.ts";
import { passwordInputs } from "./set-up.ts";

const t = texts.people;

/** The page of somebody's own sign-in. */
export const OWN = "/people/own";

/** What a refused form of this page was. */
export type OwnAttempt = { form: "factor" | "end" | "password"; attempt: Attempt };

type Own = {
  mail: string;
  /** Somebody without a password comes by the provider alone. */
  hasPassword: boolean;
  hasFactor: boolean;
  /** A new secret, and the same in a form that only the service can read; undefined where none can be stored. */
  offered: { secret: string; sealed: string } | undefined;
};

export function ownView(context: PageContext, own: Own, refused?: OwnAttempt): View {
  const of = (form: OwnAttempt["form"]) => (refused?.form === form ? refused.attempt : undefined);
  const factor = own.hasFactor
    ? endForm(context, of("end"))
    : own.offered && factorForm(context, own.mail, own.offered, of("factor"));
  return {
    title: t.own,
    ...settingsCrumbs(context, "people"),
    status: refused ? 422 : 200,
    content: own.hasPassword
      ? html`${context.provider !== undefined && !own.hasFactor && html`<div class="strip" role="note">${icon("alert")}<p>${t.factorAsked(context.provider)}</p></div>`}
        <div class="grid pair">${factor} ${passwordForm(context, of("password"))}</div>`
      : html`<p class="card">${t.ownProvider(context.provider ?? t.provider)}</p>`,
  };
}

function oldPassword(attempt: Attempt | undefined): Html {
  return input({ name: "password_old", label: t.passwordOld, type: "password", required: true, attempt });
}

function factorForm(
  context: PageContext,
  mail: string,
  { secret, sealed }: NonNullable<Own["offered"]>,
  attempt: Attempt | undefined,
): Html {
  return html`<form class="card grid" method="post" action=${context.href(`${OWN}/factor`)} aria-labelledby="factor">
    ${hiddenFields(context)}
    <h2 id="factor">${t.factorStart}</h2>
    <p>${t.factorOff}</p>
    ${problems(attempt, ["factor", "password_old"])}
    ${qrCode(totpUri(secret, mail), t.factorPicture)}
    ${copyField({ name: "secret", label: t.factorSecret, value: secret.replace(/.{4}(?=.)/g, "$& ") })}
    <p><a href=${totpUri(secret, mail)}>${t.factorOpen}</a></p>
    <input type="hidden" name="pending" value=${sealed} />
    ${input({ name: "factor", label: t.factorCode, required: true, secret: true, attempt })} ${oldPassword(attempt)}
    <p><button>${t.factorSave}</button></p>
  </form>`;
}

function endForm(context: PageContext, attempt: Attempt | undefined): Html {
  return html`<form class="card grid" method="post" action=${context.href(`${OWN}/factor/end`)} aria-labelledby="factor">
    ${hiddenFields(context)}
    <h2 id="factor">${t.factor}</h2>
    <p>${t.factorOn}</p>
    ${problems(attempt, ["password_old"])} ${oldPassword(attempt)}
    <p class="quiet">${t.factorEndWhat}</p>
    <p><button class="quiet">${t.factorEnd}</button></p>
  </form>`;
}

function passwordForm(context: PageContext, attempt: Attempt | undefined): Html {
  // The fields of both forms have the same names: only one of them has what was refused.
  return html`<form class="card grid" method="post" action=${context.href(`${OWN}/password`)} aria-labelledby="password">
    ${hiddenFields(context)}
    <h2 id="password">${t.passwordChange}</h2>
    ${problems(attempt, ["password_now", "password", "password_again"])}
    ${input({ name: "password_now", label: t.passwordOld, type: "password", required: true, attempt })}
    ${passwordInputs(attempt)}
    <p><button>${t.passwordSave}</button></p>
  </form>`;
}
