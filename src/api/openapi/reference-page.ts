import { createHash } from "node:crypto";
import { frameStyle, logo } from "../http/response/html-page.ts";
import { assets } from "./reference-assets.ts";

/**
 * Swagger UI with the OpenAPI document beside it. A token that is entered is kept in the page's
 * memory only. The plugin fixes what hinders users of screen readers and keyboards: links in
 * buttons (opening an operation changes the address anyway), lists without a name, a title
 * outside of all landmarks, and missing levels of headings. A sentence replaces the
 * list of servers, which has one entry. Each tag is a list of its own: of one with 150 entries, only those in view would be in
 * the page, and nobody could search in it.
 */
const script = `
const accessibility = ({ React: { createElement } }) => ({
  wrapComponents: {
    InfoContainer: (Original) => (props) =>
      createElement("div", { role: "banner" },
        createElement(Original, props),
        createElement("p", null, "All addresses begin with /api/v1.")),
    ServersContainer: () => () => null,
    operations: (Original) => (props) => {
      const all = props.specSelectors.taggedOperations();
      return createElement("div", null,
        createElement("h2", { className: "visually-hidden" }, "Operations"),
        all.keySeq().toArray().map((tag) => {
          const taggedOperations = () => all.filter((_, name) => name === tag);
          return createElement(Original, { ...props, key: tag, specSelectors: { ...props.specSelectors, taggedOperations } });
        }));
    },
    Models: (Original) => (props) =>
      createElement("div", null,
        createElement("h2", { className: "visually-hidden" }, "Data"),
        createElement("h3", { className: "visually-hidden" }, "Of requests and responses"),
        createElement(Original, props)),
    DeepLink: () => ({ text }) => createElement("span", null, text),
    ExamplesSelect: (Original) => (props) =>
      createElement("label", null,
        createElement("span", { className: "visually-hidden" }, "Example"),
        createElement(Original, { ...props, showLabels: false })),
  },
});
window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "openapi.json",
    dom_id: "#reference",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 4,
    persistAuthorization: false,
    plugins: [accessibility],
    queryConfigEnabled: false,
    syntaxHighlight: { activated: false },
    validatorUrl: null,
  });
});
`;

const style = `${frameStyle}
/* Swagger UI has no dark colours. */
:root { color-scheme: light; }
body { margin: 0; }
noscript { display: block; font: 1rem/1.5 system-ui, sans-serif; padding: 1rem; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.swagger-ui .info { margin: 2rem 0 0; }
.swagger-ui [role="banner"] > p { color: #3b4151; font: 14px sans-serif; margin: 0 auto 1rem; }
.swagger-ui .scheme-container { padding: 0 0 1rem; }
/* Without this column, tables fit small windows. */
@media (max-width: 64rem) { .swagger-ui .response-col_links { display: none; } }
/* Contrast ratios of at least 4.5 to 1. */
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1d5fa8; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1b7443; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b7060; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
.swagger-ui .btn.authorize { color: #1b7443; border-color: #1b7443; }
.swagger-ui .parameter__in { color: #4b5563; }
.swagger-ui .info a { color: #1d5fa8; }
.swagger-ui .info .title small { background: #4b5563; }
.swagger-ui .info .title small.version-stamp { background: #3f6212; }
`;

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Everything is loaded from this service, calls go only to it, and no other page may frame this one. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'self' ${hash(script)}`,
  `style-src 'self' ${hash(style)}`,
  // Icons in Swagger UI's style sheet.
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API reference. Addresses are relative: a proxy may serve the API under a path of its own. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference – Site Validator</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href=".${assets.style.path}">
<style>${style}</style>
<script src=".${assets.script.path}" defer></script>
<script>${script}</script>
</head>
<body>
<nav class="bar" aria-label="Site Validator">
<span>${logo} <b>Site Validator</b></span> <a href="../../guides">Guides to rules</a> <a href="openapi.json">OpenAPI document</a>
</nav>
<noscript>
<h1>API reference</h1>
<p>This page needs JavaScript. Its content is also in <a href="openapi.json">the OpenAPI document</a>.</p>
</noscript>
<div id="reference"></div>
</body>
</html>
`;
