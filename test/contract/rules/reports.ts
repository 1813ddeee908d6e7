import {
  absent,
  attributes,
  body,
  boolean,
  error,
  errorsAt,
  header,
  integer,
  listOf,
  orNull,
  related,
  resource,
  text,
  timestamp,
  url,
  uuid,
} from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const site = { starting_url: "{site}clean" };
const severity = { critical: 3, serious: 2, moderate: 0, minor: 0, total: { errors: 4, warnings: 1, total: 5 } };
const wrong = (name: string, given: Record<string, unknown>, code: string, attribute: string) =>
  rule(name, "POST /reports", 422, error(code, `/data/attributes/${attribute}`), {
    attributes: { ...site, ...given },
  });
const keeps = (name: string, given: Record<string, unknown>, ...pointers: string[]) =>
  rule(name, "PATCH /reports/{spare}", 422, errorsAt(...pointers.map((at) => `/data/attributes/${at}`)), {
    attributes: given,
  });

export const reportFields: Section = {
  title: "A report (Resources and their fields; Report)",
  rules: [
    rule(
      "has every field",
      "GET /reports/{report}",
      200,
      resource(
        "report",
        {
          starting_url: url,
          initial_urls: listOf(url),
          exclusions: listOf(text),
          domain: text,
          max_pages: integer,
          num_pages: integer,
          rate_limit: integer,
          deep_crawl: boolean,
          prefer_canonical_urls: boolean,
          dynamic_crawler: boolean,
          perform_html_checks: boolean,
          perform_a11y_checks: boolean,
          device_rotated: boolean,
          shared: boolean,
          tags: listOf(text),
          inserted_at: timestamp,
          updated_at: timestamp,
          last_checked_at: orNull(timestamp),
          html_engine: text,
        },
        uuid,
      ),
    ),
    rule(
      "shows lists as arrays",
      "GET /reports/{report}",
      200,
      attributes({
        initial_urls: ["{site}about"],
        exclusions: ["/private/", "/none/"],
        tags: ["{run}", "{run}-a"],
      }),
    ),
    rule(
      "has the domain of its starting URL",
      "GET /reports/{report}",
      200,
      attributes({ starting_url: "{site}", domain: "{domain}" }),
    ),
    rule(
      "counts its pages, checks and issues",
      "GET /reports/{report}",
      200,
      attributes({
        num_pages: 3,
        checks: {
          html: { status: { pending: 0, checked: 2, failed: 1 }, issues: { errors: 4, warnings: 1 } },
          a11y: { status: { pending: 0, checked: 2, failed: 1 }, issues: { errors: 4, warnings: 1, severity } },
        },
      }),
    ),
    rule("has null for checks that are off", "GET /reports/{spare}", 200, attributes({ checks: { a11y: null } })),
    rule(
      "names the engines that ran and their versions",
      "GET /reports/{report}",
      200,
      attributes({
        engines: { html: { name: "html-validate", version: text }, a11y: { name: "axe-core", version: text } },
      }),
    ),
    rule("has no guest token when no guest made it", "GET /reports/{report}", 200, attributes({ guest_token: absent })),
    rule(
      "of a guest has the guest's token",
      "GET /reports/{guest_report}",
      200,
      attributes({ guest_token: "{guest}" }),
    ),
    rule(
      "is related to its lists and its device, by links that resolve",
      "GET /reports/{report}",
      200,
      related("web_pages", "common_html_issues", "common_a11y_issues", "device", "mutings", "excluded_urls"),
    ),
    rule(
      "of a guest is related to the guest account",
      "GET /reports/{guest_report}",
      200,
      related(
        "web_pages",
        "common_html_issues",
        "common_a11y_issues",
        "device",
        "mutings",
        "excluded_urls",
        "guest_account",
      ),
    ),
    rule("is answered to HEAD without a body", "HEAD /reports/{report}", 200),
    rule("is not found by an unknown id", "GET /reports/{unknown_uuid}", 404, error("not_found")),
    rule("is not found by what is no UUID", "GET /reports/7", 404, error("not_found")),
    rule("is private: another account's token does not find it", "GET /reports/{report}", 404, error("not_found"), {
      as: "stranger",
    }),
    rule("of another account is not found", "GET /reports/{strangers_report}", 404, error("not_found")),
    rule("is private: a guest does not find the host's", "GET /reports/{report}", 404, error("not_found"), {
      as: "guest",
    }),
    rule(
      "of a guest is visible to the guest",
      "GET /reports/{guest_report}",
      200,
      attributes({ guest_token: "{guest}" }),
      { as: "guest" },
    ),
    rule("is not shown without credentials", "GET /reports/{report}", 401, error("unauthenticated"), {
      as: "anonymous",
    }),
  ],
};

export const createReport: Section = {
  title: "Creating a report (Endpoints; Reports)",
  rules: [
    rule(
      "needs a starting URL only and fills in the defaults",
      "POST /reports",
      201,
      resource(
        "report",
        {
          starting_url: "{site}clean",
          deep_crawl: true,
          dynamic_crawler: false,
          prefer_canonical_urls: true,
          max_pages: 10,
          rate_limit: 1,
          perform_html_checks: true,
          perform_a11y_checks: false,
          initial_urls: [],
          exclusions: [],
          device_rotated: false,
          tags: [],
          shared: false,
          last_checked_at: null,
          html_engine: "html-validate",
          checks: {
            html: {
              status: { pending: integer, checked: integer, failed: integer },
              issues: { errors: 0, warnings: 0 },
            },
            a11y: null,
          },
        },
        uuid,
      ),
      { attributes: site, keep: { created: "data.id", created_at: "header location" } },
    ),
    rule("says where the report is", "GET {created_at}", 200, body({ data: { id: "{created}" } })),
    rule(
      "uses the default device without a device",
      "GET {created_at}",
      200,
      body({ data: { relationships: { device: { links: { related: "{base}/devices/default" } } } } }),
    ),
    rule(
      "ends with every check made",
      "GET {created_at}",
      200,
      attributes({
        phase: "Complete",
        num_pages: 1,
        last_checked_at: timestamp,
        checks: { html: { status: { pending: 0, checked: 1, failed: 0 } } },
      }),
      { eventually: true },
    ),
    rule(
      "takes every attribute",
      "POST /reports",
      201,
      attributes({
        deep_crawl: false,
        dynamic_crawler: true,
        prefer_canonical_urls: false,
        max_pages: 2,
        rate_limit: 7,
        perform_html_checks: false,
        perform_a11y_checks: true,
        device_rotated: true,
        shared: true,
        initial_urls: ["{site}clean?1", "{site}clean?2"],
        exclusions: ["/a", "/b"],
        tags: ["red", "blue"],
        checks: { html: null, a11y: { status: { pending: integer } } },
      }),
      {
        attributes: {
          ...site,
          deep_crawl: false,
          dynamic_crawler: true,
          prefer_canonical_urls: false,
          max_pages: 2,
          rate_limit: 7,
          perform_html_checks: false,
          perform_a11y_checks: true,
          store_raw_html_checks: true,
          store_raw_a11y_checks: true,
          store_incomplete_checks: true,
          initial_urls: "{site}clean?1\n{site}clean?2\n",
          exclusions: "/a\r\n/b",
          device_id: "",
          device_rotated: true,
          tags: " red ,blue,red",
          shared: true,
          html_engine: "html-validate",
        },
        keep: { full: "data.id" },
      },
    ),
    rule(
      "takes null for what is none by default",
      "POST /reports",
      201,
      attributes({ initial_urls: [], exclusions: [], tags: [] }),
      {
        attributes: { ...site, initial_urls: null, exclusions: null, tags: null, device_id: null },
        keep: { with_nulls: "data.id" },
      },
    ),
    rule("takes the type report", "POST /reports", 201, undefined, {
      body: '{"data":{"type":"report","attributes":{"starting_url":"{site}clean"}}}',
      keep: { typed: "data.id" },
    }),
    rule(
      "takes plain JSON and answers it when only that is accepted",
      "POST /reports",
      201,
      header("content-type", /^application\/json/),
      {
        attributes: site,
        headers: { "Content-Type": "application/json; charset=utf-8", Accept: "application/json" },
        keep: { plain: "data.id" },
      },
    ),
    wrong("refuses a starting URL of an invalid format", { starting_url: "nowhere" }, "invalid_format", "starting_url"),
    wrong(
      "refuses another scheme than http and https",
      { starting_url: "ftp://example.com/" },
      "invalid_format",
      "starting_url",
    ),
    wrong(
      "refuses credentials in the starting URL",
      { starting_url: "http://a:b@example.com/" },
      "invalid_format",
      "starting_url",
    ),
    wrong("refuses an empty starting URL", { starting_url: "" }, "invalid_format", "starting_url"),
    wrong("refuses null as the starting URL", { starting_url: null }, "invalid_type", "starting_url"),
    wrong("refuses an initial URL of an invalid format", { initial_urls: "nowhere" }, "invalid_format", "initial_urls"),
    wrong(
      "refuses initial URLs as an array",
      { initial_urls: ["http://example.com/"] },
      "invalid_type",
      "initial_urls",
    ),
    wrong("refuses exclusions as an array", { exclusions: ["/a"] }, "invalid_type", "exclusions"),
    wrong("refuses tags as an array", { tags: ["a"] }, "invalid_type", "tags"),
    wrong("refuses a negative max_pages", { max_pages: -1 }, "out_of_range", "max_pages"),
    wrong("refuses a max_pages that is no integer", { max_pages: 1.5 }, "invalid_type", "max_pages"),
    wrong("refuses a max_pages that is text", { max_pages: "10" }, "invalid_type", "max_pages"),
    wrong("refuses a negative rate_limit", { rate_limit: -1 }, "out_of_range", "rate_limit"),
    wrong("refuses a boolean that is text", { deep_crawl: "true" }, "invalid_type", "deep_crawl"),
    wrong("refuses null for a boolean", { shared: null }, "invalid_type", "shared"),
    wrong("refuses an unknown engine", { html_engine: "other" }, "not_allowed", "html_engine"),
    wrong("refuses an unknown device", { device_id: "{unknown_uuid}" }, "unknown_device", "device_id"),
    wrong(
      "refuses unknown stored credentials",
      { basic_auth_id: "{unknown_uuid}" },
      "unknown_basic_auth",
      "basic_auth_id",
    ),
    wrong("refuses both engines off", { perform_html_checks: false }, "inconsistent", "perform_html_checks"),
    wrong(
      "refuses review checks without accessibility checks",
      { store_incomplete_checks: true },
      "inconsistent",
      "store_incomplete_checks",
    ),
    wrong("refuses an unknown attribute", { colour: "red" }, "unknown_attribute", "colour"),
    wrong("refuses an attribute of the answer", { num_pages: 3 }, "unknown_attribute", "num_pages"),
    rule("refuses a missing starting URL", "POST /reports", 422, error("required", "/data/attributes/starting_url"), {
      attributes: {},
    }),
    rule(
      "says that the format is invalid",
      "POST /reports",
      422,
      body({
        errors: [
          {
            detail: {
              kind: "that the format is invalid",
              holds: (value: unknown) => /format is invalid/.test(String(value)),
            },
            title: text,
            source: { pointer: "/data/attributes/starting_url" },
          },
        ],
      }),
      { attributes: { starting_url: "nowhere" } },
    ),
    rule(
      "tells all that is wrong at once",
      "POST /reports",
      422,
      errorsAt("/data/attributes/starting_url", "/data/attributes/max_pages", "/data/attributes/colour"),
      { attributes: { starting_url: "nowhere", max_pages: "ten", colour: "red" } },
    ),
    rule("needs the scope write", "POST /reports", 403, error("insufficient_scope"), {
      as: "reader",
      attributes: site,
    }),
    rule("needs credentials", "POST /reports", 401, error("unauthenticated"), { as: "anonymous", attributes: site }),
  ],
};

export const changeReport: Section = {
  title: "Changing and deleting a report (Endpoints; Reports)",
  rules: [
    rule("shares it", "PATCH /reports/{spare}", 200, attributes({ shared: true }), { attributes: { shared: true } }),
    rule("ends the sharing", "PATCH /reports/{spare}", 200, attributes({ shared: false }), {
      attributes: { shared: false },
    }),
    rule("may repeat type and id", "PATCH /reports/{spare}", 200, undefined, {
      body: '{"data":{"type":"report","id":"{spare}","attributes":{"shared":false}}}',
    }),
    keeps("refuses tags", { tags: "new" }, "tags", "shared"),
    keeps("refuses another attribute besides shared", { shared: true, max_pages: 3 }, "max_pages"),
    keeps("refuses nothing at all", {}, "shared"),
    keeps("refuses shared as text", { shared: "true" }, "shared"),
    keeps("refuses null", { shared: null }, "shared"),
    rule(
      "changed nothing when it was refused",
      "GET /reports/{spare}",
      200,
      attributes({ shared: false, max_pages: 10, tags: [] }),
    ),
    rule("refuses the id of another report", "PATCH /reports/{spare}", 409, error("wrong_id", "/data/id"), {
      body: '{"data":{"id":"{report}","attributes":{"shared":true}}}',
    }),
    rule("needs the scope write", "PATCH /reports/{spare}", 403, error("insufficient_scope"), {
      as: "reader",
      attributes: { shared: true },
    }),
    rule("is for its owner: another account does not find it", "PATCH /reports/{spare}", 404, error("not_found"), {
      as: "stranger",
      attributes: { shared: true },
    }),
    rule("deletes only its own account's", "DELETE /reports/{spare}", 404, error("not_found"), { as: "stranger" }),
    rule("deletes not with a token for reading", "DELETE /reports/{spare}", 403, error("insufficient_scope"), {
      as: "reader",
    }),
    rule("deletes it, even while it runs", "DELETE /reports/{full}", 204),
    rule("leaves nothing behind a deletion", "GET /reports/{full}", 404, error("not_found")),
    rule("deletes it with all its lists", "GET /reports/{full}/web_pages", 404, error("not_found")),
    rule("deletes once", "DELETE /reports/{full}", 404, error("not_found")),
    rule("deletes one with nulls", "DELETE /reports/{with_nulls}", 204),
    rule("deletes one with a type", "DELETE /reports/{typed}", 204),
    rule("deletes one made with plain JSON", "DELETE /reports/{plain}", 204),
    rule("deletes one that has ended", "DELETE /reports/{created}", 204),
  ],
};
