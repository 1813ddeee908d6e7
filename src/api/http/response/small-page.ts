import type { Response } from "express";
import { contentSecurityPolicy, frameStyle, htmlDocument } from "./html-page.ts";

const style = `${frameStyle}
:root { color-scheme: light dark; }
body { background: light-dark(#f6f7f9, #0e1013); color: light-dark(#16191d, #e7eaee); font: 1rem/1.45 system-ui, sans-serif; margin: 0; }
main { background: light-dark(#fff, #15181c); border: 1px solid light-dark(#dde1e6, #2a2f36); border-radius: 0.5rem; box-sizing: border-box; margin: 2.5rem auto; max-width: 34rem; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0; }
a { color: light-dark(#3949c6, #a4b0ff); }
label { display: block; font-weight: 500; margin-top: 1rem; }
input { background: light-dark(#fff, #15181c); border: 1px solid light-dark(#79838f, #6f7a87); border-radius: 0.375rem; box-sizing: border-box; color: inherit; font: inherit; padding: 0.25rem 0.5rem; width: 100%; }
input[aria-invalid] { border-color: light-dark(#b3123d, #ff8aa3); border-width: 2px 2px 2px 0.25rem; }
button { background: light-dark(#3949c6, #a4b0ff); border: 1px solid transparent; border-radius: 0.375rem; color: light-dark(#fff, #10143a); cursor: pointer; font: inherit; font-weight: 500; line-height: 1.875rem; margin-top: 1.5rem; padding: 0 0.625rem; }
:focus-visible { outline: 2px solid light-dark(#3949c6, #a4b0ff); outline-offset: 2px; }
code { background: light-dark(#eff1f4, #1e2228); border-radius: 0.375rem; display: block; font-size: 0.9em; overflow-wrap: anywhere; padding: 0.375rem 0.75rem; }
[role="alert"] { border-left: 0.25rem solid light-dark(#b3123d, #ff8aa3); padding-left: 0.75rem; }
.error { color: light-dark(#b3123d, #ff8aa3); margin: 0.25rem 0; }
`;

/** The form may be sent only to this service. */
const policy = contentSecurityPolicy(style, "'self'");

/** Shows a page of ours that has its own address, and is there without the pages for people. */
export function showSmallPage(response: Response, status: number, title: string, content: string): void {
  response.status(status).set("Content-Security-Policy", policy).type("html");
  response.send(htmlDocument({ title, content, style }));
}
