import { type AssertionRow, tryRows } from "../support/assertion-rows.ts";

const rows: readonly AssertionRow[] = [
  ["an image with alt", "<img src=x alt=x>"],
  ["an image without alt", "<img src=x>", "img/alt"],
  ["a title instead of alt", "<img src=x title=x>"],
  ["a figcaption instead of alt", "<figure><img src=x><figcaption>x</figcaption></figure>"],
  ["an empty figcaption", "<figure><img src=x><figcaption> </figcaption></figure>", "img/alt"],
  ["a figure with text besides", "<figure>a<img src=x><figcaption>x</figcaption></figure>", "img/alt"],
  ["a figure with a drawing besides", "<figure><svg></svg><img src=x><figcaption>x</figcaption></figure>", "img/alt"],
  ["two images in a figure", "<figure><img src=x><img src=y><figcaption>x</figcaption></figure>", "img/alt", "img/alt"],
  ["a role without a name", "<img src=x role=button>", "img/role-without-name"],
  ["a role on decoration", `<img src=x alt="" role=button>`, "img/role-with-empty-alt"],
  ["presentation with a name", "<img src=x alt=x role=presentation>", "img/presentation-with-name"],
  ["ARIA without a name", "<img src=x aria-live=off>", "img/aria-without-name"],
  ["aria-hidden without alt", "<img src=x aria-hidden=true>", "img/alt"],
  ["ismap in a link", "<a href=x><img src=x alt=x ismap></a>"],
  ["ismap without a link", "<img src=x alt=x ismap>", "nesting/ismap"],
  ["a role on a figure with a caption", "<figure role=group><figcaption>x</figcaption></figure>", "figure-role"],
  [
    "a caption beside a figcaption",
    "<figure><table><caption>x</caption><tr><td>x</table><figcaption>x</figcaption></figure>",
    "figure-caption?",
  ],
  ["widths with sizes", `<img src=x alt=x srcset="a 1w, b 2w" sizes=10px>`],
  ["widths without sizes", `<img src=x alt=x srcset="a 1w, b 2w">`, "image-candidates/sizes-missing"],
  ["widths without sizes of a lazy image", `<img src=x alt=x srcset="a 1w, b 2w" loading=lazy>`],
  ["sizes without srcset", "<img src=x alt=x sizes=10px>", "image-candidates/sizes"],
  ["auto without lazy", `<img src=x alt=x srcset="a 1w" sizes="auto, 10px">`, "image-candidates/auto"],
  ["an invalid srcset", `<img src=x alt=x srcset="a 1y">`, "bad-value/srcset"],
  ["a source before an image", `<picture><source srcset=a><img src=x alt=x></picture>`],
  [
    "a source that hides a srcset",
    `<picture><source srcset=a><img src=x alt=x srcset=b></picture>`,
    "image-candidates/always",
  ],
  [
    "a source for all media that hides another",
    `<picture><source srcset=a media=all><source srcset=b media=print><img src=x alt=x></picture>`,
    "image-candidates/always",
  ],
  ["a source with a type", `<picture><source srcset=a type=image/webp><img src=x alt=x srcset=b></picture>`],
  [
    "a source with widths without sizes",
    `<picture><source srcset="a 2w"><img src=x alt=x></picture>`,
    "image-candidates/sizes-missing",
  ],
  [
    "a source with widths of a lazy image",
    `<picture><source srcset="a 2w" media=print><source srcset=b><img src=x alt=x loading=lazy></picture>`,
  ],
];

describe("images, figures and pictures", () => tryRows(rows));
