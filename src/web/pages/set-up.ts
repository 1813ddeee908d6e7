import { type Html, html } from "../html.ts";
import type { Attempt, PageContext, View } from "../page.ts";
import { input, problems } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const t = texts.setUp;

/** The field with the address of the first site, which may be empty. */
export const FIRST_SITE = "first_site";

/** What the page says of the installation. */
export type Installation = { database: string; address: string; mail: boolean };

/** The form that creates the first owner. */
export function setUpView(
  context: PageContext,
  installation: Installation,
  { attempt, isCodeWrong }: { attempt?: Attempt | undefined; isCodeWrong?: boolean } = {},
): View {
  return {
    title: t.title,
    status: attempt || isCodeWrong ? 422 : 200,
    content: html`<p class="quiet">${t.what}</p>
      ${isCodeWrong && wrongCode()}
      <div class="grid split">
        <form class="grid" method="post" action=${context.href("/setup")}>
          <section class="card grid" aria-labelledby="owner">
            <h2 id="owner"><span class="no">1</span> ${t.owner}</h2>
            ${problems(attempt, ["code", "name", "mail", "password", "password_again", FIRST_SITE])}
            ${input({ name: "code", label: t.code, help: t.codeHelp, required: true, attempt })}
            <div class="grid pair">
              ${input({ name: "name", label: t.name, help: t.nameHelp, required: true, attempt })}
              ${input({ name: "mail", label: t.mail, required: true, attempt })}
              ${passwordInputs(attempt)}
            </div>
          </section>
          <section class="card grid" aria-labelledby="first">
            <h2 id="first"><span class="no">2</span> ${t.firstSite}</h2>
            ${input({ name: FIRST_SITE, label: t.siteAddress, help: t.siteHelp, type: "url", attempt })}
          </section>
          <p><button>${t.submit}</button></p>
        </form>
        <aside class="grid" aria-label=${t.works}>${works(installation)} ${others()}
          <section class="card grid close" aria-labelledby="stays"><h2 id="stays">${t.stays}</h2><p class="quiet">${t.staysWhat}</p></section>
        </aside>
      </div>`,
  };
}

/** A new password, typed twice. */
export function passwordInputs(attempt: Attempt | undefined): Html {
  return [
    input({ name: "password", label: t.password, type: "password", help: t.passwordHelp, required: true, attempt }),
    input({ name: "password_again", label: t.again, type: "password", required: true, attempt }),
  ];
}

function works({ database, address, mail }: Installation): Html {
  const row = (isFine: boolean, name: string, what: string) =>
    html`<li>${icon(isFine ? "passed" : "alert")} <b>${name}</b> <span class="quiet">${what}</span></li>`;
  return html`<section class="card grid close" aria-labelledby="works">
    <h2 id="works">${t.works}</h2>
    <ul class="grid close">
      ${row(true, t.database, database)} ${row(mail, t.mailWorks, mail ? t.mailSet : t.mailMissing)}
      ${row(true, t.address, address)}
    </ul>
  </section>`;
}

function others(): Html {
  return html`<section class="card grid close" aria-labelledby="others">
    <h2 id="others">${t.others}</h2>
    <p class="quiet">${t.othersPassword}</p>
  </section>`;
}

function wrongCode(): Html {
  return html`<div class="card grid">
    <div class="strip" role="alert">${icon("alert")}<p><b>${t.wrongCode}</b> ${t.wrongCodeWhat}</p></div>
    <dl class="facts">
      <div><dt>${t.log}</dt><dd><code>${t.logWhat}</code></dd></div>
      <div><dt>${t.or}</dt><dd><code>${t.orWhat}</code></dd></div>
    </dl>
  </div>`;
}

/** What the page is when there is an owner. */
export function isSetUpView({ href }: PageContext, since: Date): View {
  return {
    title: t.taken,
    isNarrow: true,
    content: html`<div class="card grid large">
      <h1>${t.taken}</h1>
      <p>${t.takenWhat} ${time(since.toISOString().slice(0, -1))}. <a href=${href("/sign-in")}>${t.signIn}</a></p>
      <p class="quiet">${t.noOwner} <code>${t.noOwnerCommand}</code> ${t.noOwnerWhat}</p>
    </div>`,
  };
}
