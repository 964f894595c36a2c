type CardPage = {
	/** The page title in tabs and the history. */
	title: string
	heading: string
	lead: string
	/** Additional style sheets and scripts. */
	head?: readonly string[]
	content: string
}

/**
 * Renders a page with one card: a heading, a sentence and one action. Takes HTML, so it must contain no user input.
 */
export const renderCardPage = ({ title, heading, lead, head = [], content }: CardPage) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Playhouse</title>
<link rel="icon" href="/landing/playhouse.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shared/base.css">
<link rel="stylesheet" href="/shared/card.css">
${head.join('\n')}
</head>
<body>
<main>
<a class="home" href="/"><img src="/landing/playhouse.svg" alt="" width="32" height="32">Playhouse</a>
<div class="card">
<h1 tabindex="-1">${heading}</h1>
<p class="lead">${lead}</p>
${content}
</div>
</main>
</body>
</html>
`
