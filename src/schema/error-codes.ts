/**
 * Every status that an error has, with the codes that stand in `errors[].code`. Codes are
 * stable: add, never rename. Tests hold each error that they see against this.
 */
export const errorCodes = {
  400: {
    name: "BadRequest",
    description: "The request is malformed, or a query parameter is unknown or has no allowed value.",
    codes: [
      "missing_body",
      "malformed_json",
      "malformed_document",
      "malformed_request",
      "too_deep",
      "too_many_members",
      "forbidden_key",
      "invalid_character",
      "unknown_parameter",
      "repeated_parameter",
      "invalid_parameter",
      "invalid_host",
      "invalid_idempotency_key",
    ],
  },
  401: {
    name: "Unauthenticated",
    description: "A token is needed, or the one given is not valid.",
    codes: ["unauthenticated", "invalid_token"],
  },
  402: {
    name: "NoCredits",
    description: "The account or the guest account has no credits left this month.",
    codes: ["credits_exhausted"],
  },
  403: {
    name: "Forbidden",
    description: "The token may only read, the caller is a guest, or the request names an id of its own choice.",
    codes: ["insufficient_scope", "host_only", "client_generated_id"],
  },
  404: {
    name: "NotFound",
    description: "There is no such thing, or the caller may not see it.",
    codes: ["not_found", "raw_check_not_stored", "screenshot_not_stored"],
  },
  405: {
    name: "MethodNotAllowed",
    description: "The address has no such method; Allow names those it has.",
    codes: ["method_not_allowed"],
  },
  406: {
    name: "NotAcceptable",
    description: "Accept allows none of the media types of the answer.",
    codes: ["not_acceptable"],
  },
  409: {
    name: "Conflict",
    description: "The request disagrees with the state of things, or with its own address.",
    codes: [
      "wrong_type",
      "wrong_id",
      "request_running",
      "name_taken",
      "report_deleted",
      "schedule_deleted",
      "schedule_inactive",
      "invitation_used",
      "too_many_mutings",
      "no_secret_key",
    ],
  },
  413: { name: "BodyTooLarge", description: "The body is larger than 1 MB.", codes: ["body_too_large"] },
  415: {
    name: "UnsupportedMediaType",
    description: "The body's media type, encoding or charset is not one that is read.",
    codes: ["unsupported_media_type", "unsupported_encoding"],
  },
  422: {
    name: "InvalidAttributes",
    description: "Attributes are not valid: one error for each that is wrong, or an Idempotency-Key was reused.",
    codes: [
      "unknown_member",
      "unknown_attribute",
      "required",
      "invalid_type",
      "out_of_range",
      "not_allowed",
      "too_long",
      "too_many",
      "invalid_format",
      "inconsistent",
      "reserved",
      "unknown_device",
      "unknown_basic_auth",
      "immutable_attribute",
      "invalid_report",
      "invalid_schedule",
      "idempotency_key_reused",
    ],
  },
  429: {
    name: "TooManyRequests",
    description: "More calls in a minute than are allowed; Retry-After says when there are more.",
    codes: ["rate_limited", "too_many_streams"],
  },
  500: {
    name: "InternalError",
    description: "Something went wrong on the service's side. X-Request-Id helps to find it in its log.",
    codes: ["internal_error"],
  },
  503: {
    name: "Unavailable",
    description: "The service cannot answer just now; Retry-After says when to try again.",
    codes: ["unavailable"],
  },
} as const;

export type ErrorStatus = keyof typeof errorCodes;
