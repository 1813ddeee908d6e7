/** Forms that could not be sent, and are kept. */
export const unsentTexts = {
  unsent: {
    again: "Send it again",
    resumed: "You are signed in again",
    resumedWhat: "Nothing was sent while you were signed out. This is what you had filled in.",
    signInFirst: "Nothing was changed. What you typed is kept: sign in, and send it again.",
  },
};
