import { escapeHtml, printMarkdown, slugify } from './html.ts'
import { listRoutes, type OpenApi } from './openapi.ts'
import { printOperation } from './operation.ts'

export type ReferenceOptions = {
	/** What links begin with: `/reference/` on an installation, nothing on a static host. */
	base: string
	/** `.html` where the host does not add it. */
	suffix: string
	/** Whether operations can be called from the page. A static host has none. */
	canTry: boolean
}

/** Returns the files of the reference: a page for each tag, one about conventions, and the index of the search. */
export function printReference(document: OpenApi, options: ReferenceOptions): Map<string, string> {
	const files = new Map<string, string>()
	const conventions = `<div class="prose"><h1>${escapeHtml(document.info.title)}</h1>${printMarkdown(document.info.description)}</div>`
	files.set('index.html', printPage(document, options, document.info.title, '', conventions))
	const found: object[] = []
	for (const { name, description } of document.tags) {
		const routes = listRoutes(document, name)
		const slug = slugify(name)
		const content = `<div class="prose"><h1>${escapeHtml(name)}</h1><p>${escapeHtml(description)}</p></div>
${routes.map((route) => printOperation(document, route, options.canTry)).join('\n')}`
		files.set(`${slug}.html`, printPage(document, options, `${name} – ${document.info.title}`, name, content))
		for (const { method, path, op } of routes)
			found.push({
				url: `${options.base}${slug}${options.suffix}#${op.operationId}`,
				summary: op.summary,
				method,
				path,
				tag: name,
			})
	}
	files.set('search.json', JSON.stringify(found))
	return files
}

function printPage(
	document: OpenApi,
	options: ReferenceOptions,
	title: string,
	tag: string,
	content: string,
): string {
	const { base, canTry } = options
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${base}reference.css">
<script type="module" src="${base}search.js"></script>
${canTry ? `<script type="module" src="${base}try.js"></script>` : ''}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Reference">
<a class="home" href="${base ? base.replace(/\/$/, '') : 'index.html'}">${escapeHtml(document.info.title)} <span>${escapeHtml(document.info.version)}</span></a>
<form role="search" data-index="${base}search.json"><label>Search <kbd>/</kbd><input type="search" autocomplete="off"></label><ul hidden></ul><p role="status"></p></form>
${canTry ? '<label class="credential">Token or API key for “Try it”<input type="password" autocomplete="off" spellcheck="false"></label>' : ''}
<details class="menu" open><summary>Contents</summary>
${document['x-tagGroups'].map((group) => printGroup(document, options, group, tag)).join('\n')}
</details>
</nav>
<main id="content">
${content}
</main>
</body>
</html>
`
}

function printGroup(
	document: OpenApi,
	{ base, suffix }: ReferenceOptions,
	group: OpenApi['x-tagGroups'][number],
	tag: string,
): string {
	const links = group.tags.map((name) => {
		const isCurrent = name === tag
		const operations = isCurrent
			? `<ul>${listRoutes(document, name)
					.map(({ op }) => `<li><a href="#${op.operationId}">${escapeHtml(op.summary)}</a></li>`)
					.join('')}</ul>`
			: ''
		return `<li><a href="${base}${slugify(name)}${suffix}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a>${operations}</li>`
	})
	return `<h2>${escapeHtml(group.name)}</h2><ul>${links.join('')}</ul>`
}
