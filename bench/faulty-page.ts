/** A page with a hundred links and a hundred faults. */
export const faultyPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>A page</title></head>
<body>
<h1>A page</h1>
${Array.from({ length: 100 }, (_, n) => `<p id="p${n}">Paragraph <b>${n}</b> with a <a href="#p${n}">link</a> and <img src="x.png"></p>`).join("\n")}
</body>
</html>
`;
