import { capitalized, checkKinds, manifestOf, namesOf, nounOf, sourceKinds } from "../../../checks/kinds.ts";
import { findKeptSource } from "../../../database/crawl/page-sources.ts";
import { findPicture } from "../../../database/reports/element-pictures.ts";
import { findSignInPicture } from "../../../database/reports/sign-in-pictures.ts";
import { findRawCheck, findScreenshot } from "../../../database/reports/web-pages.ts";
import { MAX_STORED_BYTES } from "../../../domain/findings/bound-findings.ts";
import type { Route } from "../../context.ts";
import type { Attributes } from "../../documents.ts";
import { isNumericId } from "../../http/request/query.ts";
import { one, related } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { pageUrl, visiblePage, visibleReport } from "./report-access.ts";

/**
 * What is stored of a page besides its issues: its source and, on request, a screenshot and the engines' output; and the
 * page on which nobody could sign in.
 */
export const rawChecks: readonly Route[] = [
  ...checkKinds.map(
    (kind): Route => ({
      method: "GET",
      path: `/reports/:report_id/web_pages/:web_page_id/raw_${nounOf(kind)}_check`,
      id: `getRaw${capitalized(kind)}Check`,
      tag: "Web pages",
      summary: manifestOf(kind).texts.getRaw,
      description: `Stored if the report was created with store_raw_${nounOf(kind)}_checks; otherwise 404 with raw_check_not_stored.`,
      success: { kind: "one", type: "raw_check" },
      access: "shared",
      site: "report",
      handle: async (context) => {
        const page = await visiblePage(context);
        const check = await findRawCheck(context.deps.db, page.id, kind);
        if (!check)
          throw refuse(
            404,
            "raw_check_not_stored",
            "Raw check not stored",
            `The page has no stored raw check. It is stored when the page is checked, if the report was created with store_raw_${nounOf(kind)}_checks and the engine's output has at most ${MAX_STORED_BYTES.raw / 1e6} MB.`,
          );
        return one({
          id: check.id,
          type: "raw_check",
          // As the checker stored it.
          attributes: { kind, raw: check.raw as Attributes<"raw_check">["raw"] },
          relationships: related({
            web_page: pageUrl(context, { report_id: page.report_id, web_page_id: page.id }),
          }),
        });
      },
    }),
  ),
  {
    method: "GET",
    path: "/reports/:report_id/sign_in_pictures/:step",
    id: "getSignInPicture",
    tag: "Reports",
    summary: "Get a picture of a sign-in",
    description:
      "The page after a step to sign in of a report's credentials, or as it stood when that failed, for the report's owner: without fields, or with empty ones, and without what was typed. The report's sign_in_pictures lists them; otherwise 404 with sign_in_picture_not_stored.",
    success: { kind: "file", mediaType: "image/png", description: "What the browser showed." },
    access: "account",
    site: "report",
    handle: async (context) => {
      const { report, owned } = await visibleReport(context);
      const { step = "" } = context.params;
      if (!/^[1-9]\d?$/.test(step)) throw notFound("picture");
      const bytes = owned ? await findSignInPicture(context.deps.db, report.id, Number(step)) : undefined;
      if (bytes) return { status: 200, file: { type: "image/png", bytes } };
      throw refuse(
        404,
        "sign_in_picture_not_stored",
        "Picture not stored",
        "There is no such picture. The report's sign_in_pictures lists those that are stored, which only its owner sees: the page on which the sign-in failed and, with store_screenshot, the page after each step.",
      );
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id/screenshot",
    id: "getScreenshot",
    tag: "Web pages",
    summary: "Get a screenshot of a page",
    description: "Stored if the report was created with store_screenshot; otherwise 404 with screenshot_not_stored.",
    success: { kind: "file", mediaType: "image/png", description: "The page as the report's device shows it." },
    access: "shared",
    site: "report",
    handle: async (context) => {
      const page = await visiblePage(context);
      const bytes = await findScreenshot(context.deps.db, page.id);
      if (bytes) return { status: 200, file: { type: "image/png", bytes } };
      throw refuse(
        404,
        "screenshot_not_stored",
        "Screenshot not stored",
        `The page has no stored screenshot. It is stored when the page is checked, if the report was created with store_screenshot, the page could be loaded, and the image has at most ${MAX_STORED_BYTES.screenshot / 1e6} MB.`,
      );
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id/pictures/:picture_id",
    id: "getElementPicture",
    tag: "Web pages",
    summary: "Get a picture of an element",
    description: "The address is in element.picture of findings and components.",
    success: { kind: "file", mediaType: "image/webp", description: "The element, with what is around it." },
    access: "shared",
    site: "report",
    handle: async (context) => {
      const page = await visiblePage(context);
      const id = context.params.picture_id ?? "";
      const bytes = isNumericId(id) ? await findPicture(context.deps.db, page.id, id) : undefined;
      if (bytes) return { status: 200, file: { type: "image/webp", bytes } };
      throw notFound("picture");
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id/source",
    id: "getPageSource",
    tag: "Web pages",
    summary: "Get the source of a page",
    description: `The text that the HTML engine checked. Coordinates refer to it: lines end at CRLF, LF or CR, and columns count UTF-16 code units. Stored for pages with ${namesOf(sourceKinds)} findings, unless it is too large or the service keeps no sources; otherwise 404 with source_not_stored.`,
    success: { kind: "file", mediaType: "text/plain", description: "The page as it was received, in UTF-8." },
    access: "shared",
    site: "report",
    handle: async (context) => {
      const page = await visiblePage(context);
      const source = page.stored.has("source") ? await findKeptSource(context.deps.db, page.id) : undefined;
      if (source !== undefined) return { status: 200, file: { type: "text/plain", bytes: Buffer.from(source) } };
      throw refuse(
        404,
        "source_not_stored",
        "Source not stored",
        `The page has no stored source. The source of a page with ${namesOf(sourceKinds)} findings is stored if it has at most ${MAX_STORED_BYTES.source / 1e3} KB compressed and the service keeps sources. Readers of a shared report do not get it if the report has credentials for the site.`,
      );
    },
  },
];
