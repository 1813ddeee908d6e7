/** What is shown in place of what nobody should read. */
const HIDDEN = "…";

/** Parameters whose values open something, or let somebody act, by their names. */
const SECRET_NAME =
  /token|secret|passw|pwd|passphrase|nonce|csrf|xsrf|sess|^s?sid$|jwt|assertion|saml|signature|^sig$|^code$|^state$|auth|credential|api[-_]?key|^key$|otp|ticket/i;

/** An address in a text. What is beyond its end in a sentence is not part of it. */
const ADDRESS = /\b(?:https?|wss?):\/\/[^\s"'<>`]+?(?=[.,;:!?)\]]*(?:[\s"'<>`]|$))/gi;
const PARAMETER = /([?&#;])([^=&#;?]{1,200})=([^&#;]*)/g;

/**
 * An address as strangers may read it: without user and password, and without the values of parameters that are secrets by
 * their names, in its query, its path (`;jsessionid=…`) and its fragment. Pages are told apart by all others.
 */
export function shownAddress(address: string): string {
  return withoutUser(address).replace(PARAMETER, (whole, before: string, name: string, value: string) =>
    value !== "" && SECRET_NAME.test(decoded(name)) ? `${before}${name}=${HIDDEN}` : whole,
  );
}

/** Where steps lead is nobody's business but its owner's: the address without user, query and fragment. */
export function stepAddress(address: string): string {
  return withoutUser(address).replace(/[?#;].*$/s, "");
}

/** A text for people in which all addresses are fit to be shown. */
export function shownText(text: string): string {
  return text.includes("://") ? text.replace(ADDRESS, shownAddress) : text;
}

/** The same of a text about steps. */
export function stepText(text: string): string {
  return text.replace(ADDRESS, stepAddress);
}

function withoutUser(address: string): string {
  return address.replace(/^([a-z]+:\/\/)[^/?#]*@/i, "$1");
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
