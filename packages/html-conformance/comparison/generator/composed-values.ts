import { drawMediaCondition } from "./css-values.ts";
import type { Random } from "./random.ts";
import { drawUrl } from "./urls.ts";

export function drawMimeType(random: Random): string {
  if (random.percent(60)) return random.pick(["text/css", "image/png", "video/mp4", "text/html", "application/xml"]);
  return (
    random.pick([
      "text/plain",
      "TEXT/PLAIN",
      "a/b",
      "image/svg+xml",
      "text",
      "text/",
      "/plain",
      "te xt/plain",
      "text/pl ain",
      "*/*",
      "text/plain/x",
      "é/b",
      "",
    ]) +
    random.pick([
      "",
      "",
      ";charset=utf-8",
      "; charset=utf-8",
      ";a=b;c=d",
      ";",
      ";a",
      ";a=",
      ";=b",
      ';a="b c"',
      ';a="b',
      ';a="\\""',
      " ;a=b",
      ";a=b ",
      ';codecs="avc1.42E01E, mp4a.40.2"',
      ";a=b c",
      ";a=ü",
    ])
  );
}

export function drawSrcset(random: Random): string {
  const unit = random.pick(["w", "w", "x"]);
  const candidate = (): string => {
    const url = random.percent(80)
      ? random.pick(["a.png", "b,c.png", "https://example.com/a.png", "/x"])
      : drawUrl(random);
    const number = random.pick(["1", "2", "100", "1.5", "480"]);
    if (random.percent(12))
      return `${url} ${random.pick(["", "0w", "-1x", "1.5w", "1e2x", "2", "w", "1x 2x", "1h", "100w 50h", "50h", "+1x", "1X", "(1x)", "1x,"])}`;
    return `${url} ${unit === "w" ? number.replace(".", "") : number}${unit}`;
  };
  return Array.from({ length: 1 + random.below(3) }, candidate).join(random.pick([", ", ", ", ",", " , ", " "]));
}

export function drawSourceSize(random: Random): string {
  const length = (): string =>
    random.percent(80)
      ? random.pick(["100vw", "50vw", "300px", "20em", "calc(100vw - 2em)"])
      : random.pick([
          "0",
          "-1px",
          "50%",
          "1",
          "10 px",
          "auto",
          "min(1px, 2vw)",
          "1e2px",
          "calc(1px",
          "red",
          "",
          "+.5rem",
          "1PX",
          "10foo",
          "100dvw",
          "1/2",
        ]);
  const sizes = Array.from({ length: random.below(2) }, () => `${drawMediaCondition(random)} ${length()}`);
  return [...sizes, length()].join(random.pick([", ", ","]));
}

export function drawCspPolicy(random: Random): string {
  const directive = (): string =>
    random.pick([
      "default-src",
      "script-src",
      "img-src",
      "object-src",
      "base-uri",
      "frame-ancestors",
      "sandbox",
      "report-uri",
      "upgrade-insecure-requests",
      "style-src-attr",
      "x-src",
      "require-trusted-types-for",
      "worker-src",
    ]) +
    random.pick([
      "",
      " 'none'",
      " 'self'",
      " 'self' https:",
      " https://example.com",
      " *.example.com",
      " 'nonce-abc'",
      " 'unsafe-inline' 'unsafe-eval'",
      " none",
      " 'sha256-AAAA'",
      " data: blob:",
      " 'foo'",
      " *",
      " 'none' 'self'",
      " example.com:*",
      " http://a b",
      " é",
    ]);
  return (
    Array.from({ length: 1 + random.below(2) }, directive).join(random.pick(["; ", ";", "; "])) +
    random.pick(["", "", ";", ","])
  );
}
