import type { Assets } from "./assets.ts";
import { type Html, html, render } from "./html.ts";
import type { PageContext, Section, View } from "./page.ts";
import { hiddenFields } from "./parts/form.ts";
import { icon, logo, menu } from "./parts/icon.ts";
import { isForOthers } from "./parts/report.ts";
import { settingsLinks } from "./parts/settings.ts";
import { texts } from "./texts/en.ts";

/**
 * A whole document. It is painted only after its script has written times in the reader's zone: rewriting them later
 * would move everything below.
 */
export function htmlPage(view: View, context: PageContext, { paths }: Assets): string {
  const { href, reader, home } = context;
  const document = html`<html lang=${texts.language}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      ${isForOthers(context.path) && html`<meta name="robots" content="noindex, nofollow" />`}
      ${view.refresh !== undefined && html`<meta http-equiv="refresh" content=${String(view.refresh)} />`}
      <title>${view.status === 422 && `${texts.form.error}: `}${view.title} – ${texts.product}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href=${href(paths.style ?? "")} />
      <script type="module" blocking="render" src=${href(paths.script ?? "")} data-morph=${href(paths.idiomorph ?? "")}></script>
    </head>
    <body>
      <a class="hidden skip" href="#content">${texts.skip}</a>
      <header class="bar">
        ${
          home
            ? html`<a href=${href("/")} aria-label=${texts.product}>${logo()} <b class="extra">${texts.product}</b></a>`
            : html`<span>${logo()} <b>${texts.product}</b></span>`
        }
        ${reader && [navigation(context, view.section), account(context, view.section)]}
      </header>
      <main id="content" tabindex="-1" data-live=${view.live}>
        ${view.isNarrow ? html`<div class="narrow grid">${view.content}</div>` : html`${heading(view)} ${done(context, view.since)} ${view.content}`}
      </main>
      <footer class="bar">
        <a href=${href("/api/v1/docs")}>${texts.footer.reference}</a>
        <a href=${href("/guides")}>${texts.footer.guides}</a>
        <span class="quiet push">${texts.footer.times} <span data-zone>UTC</span></span>
      </footer>
    </body>
  </html>`;
  return `<!doctype html>\n${render(document)}\n`;
}

/** What the page is, where it is, and what can be done with all of it. */
function heading({ title, heading: shown = title, crumbs = [], about, tools }: View): Html {
  return html`<div class="line">
    <div>
      ${
        crumbs.length > 0 &&
        html`<nav aria-label=${texts.breadcrumb} class="quiet">${crumbs.map(({ text, to }) => html`<a href=${to}>${text}</a> / `)}</nav>`
      }
      <h1>${shown}</h1>${" "} ${about}
    </div>
    ${tools && html`<div class="line near push">${tools}</div>`}
  </div>`;
}

const mainPaths = { sites: "/", schedules: "/schedules", mutings: "/mutings" } as const;

function navigation({ href }: PageContext, current: Section | undefined): Html {
  return html`<nav aria-label=${texts.mainNavigation}>
    <ul class="line">
      ${Object.entries(mainPaths).map(
        ([section, path]) => html`<li>
          <a href=${href(path)} aria-current=${section === current ? "true" : undefined}>${texts.sections[section as keyof typeof mainPaths]}</a>
        </li>`,
      )}
    </ul>
  </nav>`;
}

/** What is the account's own, and signing out. */
function account(context: PageContext, current: Section | undefined): Html {
  return menu(
    html`${texts.account} ${icon("down")}`,
    html`<ul class="choices">
        ${settingsLinks(context, current)}
      </ul>
      <form method="post" action=${context.href("/sign-out")}>
        ${hiddenFields(context)}
        <button class="quiet">${texts.signOut}</button>
      </form>`,
    "push",
  );
}

/** Says what the last form did. Its name is in the address, so that the page can be reloaded. */
function done({ query }: PageContext, since: Html): Html {
  const name = query.get("done") ?? "";
  const text = Object.hasOwn(texts.done, name) && texts.done[name];
  return text && html`<div class="card tools done" role="status"><p>${text}</p>${since}</div>`;
}
