import type { Assets } from "./assets.ts";
import { type Html, html, render } from "./html.ts";
import type { PageContext, Section, View } from "./page.ts";
import { hiddenFields } from "./parts/form.ts";
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
      ${view.refresh !== undefined && html`<meta http-equiv="refresh" content=${String(view.refresh)} />`}
      <title>${view.status === 422 && `${texts.form.error}: `}${view.title} – ${texts.product}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href=${href(paths.style ?? "")} />
      <script type="module" blocking="render" src=${href(paths.script ?? "")} data-morph=${href(paths.idiomorph ?? "")}></script>
    </head>
    <body>
      <a class="skip" href="#content">${texts.skip}</a>
      <header class="bar">
        ${
          home
            ? html`<a class="product" href=${href("/")}>${texts.product}</a>`
            : html`<span class="product">${texts.product}</span>`
        }
        ${reader && navigation(context, view.section)}
        ${
          reader &&
          html`<form class="sign-out" method="post" action=${href("/sign-out")}>
          ${hiddenFields(context)}
          <button class="quiet">${texts.signOut}</button>
        </form>`
        }
      </header>
      <main id="content" tabindex="-1" data-live=${view.live}>
        <h1>${view.title}</h1>
        ${done(context)} ${view.content}
      </main>
      <footer class="bar">
        <a href=${href("/api/v1/docs")}>${texts.footer.reference}</a>
        <a href=${href("/guides")}>${texts.footer.guides}</a>
      </footer>
    </body>
  </html>`;
  return `<!doctype html>\n${render(document)}\n`;
}

const sectionPaths: Readonly<Record<Section, string>> = {
  sites: "/",
  schedules: "/schedules",
  mutings: "/mutings",
  guests: "/guests",
  tokens: "/tokens",
  credentials: "/credentials",
  usage: "/usage",
};

function navigation({ href, reader }: PageContext, current: Section | undefined): Html {
  const isGuest = reader?.principal.guestToken !== null;
  const sections = (Object.keys(sectionPaths) as Section[]).filter((section) => section !== "guests" || !isGuest);
  return html`<nav aria-label=${texts.mainNavigation}>
    <ul>
      ${sections.map(
        (section) =>
          html`<li>
            <a href=${href(sectionPaths[section])} aria-current=${section === current ? "true" : undefined}
              >${texts.sections[section]}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** Says what the last form did. Its name is in the address, so that the page can be reloaded. */
function done({ query }: PageContext): Html {
  const name = query.get("done") ?? "";
  const text = Object.hasOwn(texts.done, name) && texts.done[name];
  return text && html`<p class="done" role="status">${text}</p>`;
}
