/**
 * The site for the contract tests, by path: small, with known issues.
 * Plain HTML only, so that any server can serve it. `/` has two kinds of HTML errors, HTML
 * warnings, accessibility errors and one issue that a person must review; `/about` shares one kind with
 * it. `/missing` is linked and does not exist. `/outline` breaks a rule of WCAG and a best practice. The pages under `/sort/` differ in their numbers of
 * errors and warnings.
 */
export const fixturePages: Readonly<Record<string, string>> = {
  "/": `<!DOCTYPE html>
<html>
<head><title>Contract</title></head>
<body>
<main>
<h1>Contract</h1>
<center>Old</center>
<img src="/a.png"><img src="/b.png">
<p style="background-image: linear-gradient(#ffffff, #000000); color: #777777; opacity: 0.99">To be judged by a person</p>
<a href="/about">About</a> <a href="/about#team">Team</a> <a href="/missing">Missing</a>
<a href="/private/staff">Staff</a> <a href="https://elsewhere.example/">Elsewhere</a>
</main>
</body>
</html>
`,
  "/about": `<!DOCTYPE html>
<html lang="en">
<head><title>About</title></head>
<body>
<main>
<h1>About</h1>
<img src="/c.png">
</main>
</body>
</html>
`,
  "/private/staff": clean("Staff"),
  "/clean": clean("Clean"),
  "/outline": `<!DOCTYPE html>
<html lang="en">
<head><title>Outline</title></head>
<body>
<main>
<h1>Outline</h1>
<h3>One level is left out</h3>
<img src="/d.png">
</main>
</body>
</html>
`,
  "/sort/two": sortPage("en", 2),
  "/sort/two-and-one": sortPage("", 2),
  "/sort/three": sortPage("en", 3),
};

function clean(title: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><title>${title}</title></head>
<body>
<main><h1>${title}</h1></main>
</body>
</html>
`;
}

/** A page with so many errors of both kinds; without a language it has one more HTML warning, and one issue for review. */
function sortPage(lang: string, errors: number): string {
  const judged =
    '<p style="background-image: linear-gradient(#ffffff, #000000); color: #777777; opacity: 0.99">Judge</p>';
  return `<!DOCTYPE html>
<html${lang ? ` lang="${lang}"` : ""}>
<head><title>Sort</title></head>
<body>
<main>
<h1>Sort</h1>
${'<img src="/x.png">\n'.repeat(errors)}${lang ? "" : judged}
</main>
</body>
</html>
`;
}
