/** The part of `tr46`, which has no types of its own, that the host check uses. */
declare module "tr46" {
  type Options = {
    checkBidi: boolean;
    checkHyphens: boolean;
    checkJoiners: boolean;
    ignoreInvalidPunycode: boolean;
    transitionalProcessing: boolean;
    useSTD3ASCIIRules: boolean;
    verifyDNSLength: boolean;
  };
  /** Unicode ToASCII (UTS #46); null where it fails. */
  export function toASCII(domain: string, options: Options): string | null;
}
