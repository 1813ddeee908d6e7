/** Signing in, and errors. */
export const sessionTexts = {
  signIn: {
    title: "Sign in",
    intro: "Paste an API token of your account. You can do here whatever the token allows.",
    shared: "You have a link to a report? It works without signing in.",
    token: "API token",
    submit: "Sign in",
    ended: "You are signed out: the session ended, or its token was revoked.",
    where:
      "At its first start the service prints a token and a link that signs in. On a cluster the token is in a Secret of the release. With a token you can create others on the page Tokens.",
    codeNeedsScript: "Signing in by a link needs JavaScript. Without it, paste a token.",
    problems: {
      empty: "Paste a token: the field is empty.",
      "unknown token": "There is no such token. Check that the whole token was pasted, and that it was not revoked.",
      "used code": "The link has been used or is too old: it works once, for an hour. Paste a token instead.",
    },
  },
  errors: {
    400: { title: "Invalid address", what: "A part of it has a value that is not allowed." },
    403: { title: "You may not do this", what: "" },
    404: {
      title: "Not found",
      what: "There is nothing at this address, or you may not see it. It may have been deleted.",
    },
    meant: "Did you mean",
    notShared: {
      yours: "A report that is not shared can only be read by its account.",
      open: "Open it in your account",
    },
    409: { title: "This cannot be done now", what: "" },
    402: { title: "No credits left", what: "" },
    413: { title: "The form is too long", what: "Nothing was changed. Go back, and shorten it." },
    429: { title: "Too many requests", what: "Wait a moment, and load the page again." },
    503: {
      title: "The service is not available",
      what: "Something that it needs, such as its database, cannot be reached. Load the page again in a moment.",
    },
    500: { title: "Something went wrong", what: "This is a defect of the service. Its log has the details." },
    foreignForm: {
      title: "This form is too old",
      what: "It comes from an earlier session, or from another site. Nothing was changed. Go back, load the page again, and send it once more.",
    },
    again: (seconds: number) => `This page tries again every ${seconds} seconds.`,
  } as const,
  unsent: {
    again: "Send it again",
    resumed: "You are signed in again",
    resumedWhat: "Nothing was sent while you were signed out. This is what you had filled in.",
    signInFirst: "Nothing was changed. What you typed is kept: sign in, and send it again.",
  },
};
