import { describeDatatypes } from "../support/datatypes.ts";

describeDatatypes("datatypes: content security policies", {
  "content-security-policy": {
    valid: [
      "",
      "default-src 'self'",
      "default-src 'none'; img-src *",
      "script-src 'nonce-YWJj' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'strict-dynamic' https:",
      "img-src data: *.a.b https://a:*/b/c a:80",
      "upgrade-insecure-requests",
      "sandbox allow-forms",
      "frame-ancestors 'none'",
      "report-to a",
      "foo bar",
      "default-src 'self', img-src *",
    ],
    invalid: [
      ["default-src", "in the directive \"default-src\", a source is missing; 'none' stands for none"],
      ["default-src 'none' a", "in the directive \"default-src\", 'none' is not allowed with other sources"],
      ["script-src 'foo'", 'in the directive "script-src", "\'foo\'" is not a source that is allowed'],
      ["script-src 'nonce-'", 'in the directive "script-src", "\'nonce-\'" is not a source that is allowed'],
      ['script-src "self"', 'in the directive "script-src", ""self"" is not a source that is allowed'],
      ["img-src a.*", 'in the directive "img-src", "a.*" is not a source that is allowed'],
      ["img-src http://", 'in the directive "img-src", "http://" is not a source that is allowed'],
      ["img-src a_b", 'in the directive "img-src", "a_b" is not a source that is allowed'],
      ["img-src [::1]", 'in the directive "img-src", "[::1]" is not a source that is allowed'],
      ["upgrade-insecure-requests a", 'in the directive "upgrade-insecure-requests", the value "a" is not allowed'],
      ["sandbox foo", 'in the directive "sandbox", "foo" is not a sandbox keyword'],
      ["require-trusted-types-for", "in the directive \"require-trusted-types-for\", the value 'script' is missing"],
      ["report-uri", 'in the directive "report-uri", a URL is missing'],
      ["report-to", 'in the directive "report-to", one name is expected, but 0 are found'],
      ["report-to a b", 'in the directive "report-to", one name is expected, but 2 are found'],
      [
        "default-src: 'self'",
        'the directive name "default-src:" has other characters than letters, digits and hyphens',
      ],
      ["default-src é", '"é" is not an ASCII character'],
      [
        "require-trusted-types-for script",
        'in the directive "require-trusted-types-for", "script" is found where \'script\' should be',
      ],
    ],
  },
});
