import type { Token } from "parse5";
import type { Construction } from "../construction.ts";

/** What an insertion mode does with each kind of token. */
export type Rules = {
  startTag: (p: Construction, token: Token.TagToken) => void;
  endTag: (p: Construction, token: Token.TagToken) => void;
  /** Characters that are not white space. */
  text: (p: Construction, token: Token.CharacterToken) => void;
  whiteSpace: (p: Construction, token: Token.CharacterToken) => void;
  endOfFile: (p: Construction, token: Token.EOFToken) => void;
};

export const ignore = (): void => undefined;
