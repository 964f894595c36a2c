export type Sources = { manifest: string; poster: string }

/** Returns a page whose head preloads the poster, as ours does. */
export const renderPage = (poster: string, head: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Film</title>
<link rel="icon" href="data:,">
<link rel="preload" as="image" href="${poster}" fetchpriority="high">
${head}
</head>
<body>
${body}
</body>
</html>
`
