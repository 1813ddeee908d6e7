/**
 * How many attempts to sign in may fail before others are refused for a while: of one name from one address, from one
 * address, and of one name. The last is high, so that strangers do not lock somebody out so easily.
 */
export const SIGN_IN_TRIES = { pair: 5, address: 20, name: 50 } as const;
/** For how long they are counted, in milliseconds. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;

/** How long people stay signed in, in milliseconds. */
export const PERSON_SESSION_MS = 12 * 60 * 60_000;

/** How long a setup code works, in milliseconds, and how many wrong ones may be typed before it is void. */
export const SETUP_CODE_MS = 60 * 60_000;
export const SETUP_TRIES = 5;

/** How long an invitation of a person works, in milliseconds. */
export const INVITATION_MS = 7 * 86_400_000;

/** How many people an account has at most. */
export const MAX_PEOPLE = 250;

/** How long a sign-in by the provider may take, in milliseconds. */
export const PROVIDER_SIGN_IN_MS = 10 * 60_000;
/**
 * For how long a role by groups holds, in milliseconds: whoever has left the provider does not come again, and the tokens
 * would go on working.
 */
export const GROUP_ROLE_MS = 30 * 86_400_000;
