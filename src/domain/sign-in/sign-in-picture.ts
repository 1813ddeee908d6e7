/** What a browser showed during a sign-in, without what was typed. */
export type SignInPicture = {
  /** The step that was done, or that failed, from 1; one more than there are steps when all were done. */
  step: number;
  /** What the step does; "" when all were done. */
  action: string;
  /** Whether the sign-in failed here. */
  failed: boolean;
  png: Buffer;
};

/** Keeps pictures of sign-ins. */
export type KeepPictures = {
  /** Called when an attempt has ended, in place of those of an earlier one. */
  keep: (pictures: readonly SignInPicture[]) => Promise<void>;
  /** Whether one is taken after each step; otherwise only of the page on which nobody could sign in. */
  ofEachStep: boolean;
};
