export const escapeHtml = (text: string): string =>
	text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Prints the Markdown of descriptions: paragraphs, code, bold text and links. */
export const printMarkdown = (text: string): string =>
	text
		.trim()
		.split(/\n{2,}/)
		.map((paragraph) => `<p>${printInline(paragraph)}</p>`)
		.join('\n')

export function printInline(text: string): string {
	const parts = text.split(/(`[^`]+`)/)
	return parts
		.map((part) =>
			/^`[^`]+`$/.test(part) ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : printWords(part),
		)
		.join('')
}

const printWords = (text: string): string =>
	escapeHtml(text)
		.replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
		.replaceAll(/\[([^\]]+)\]\((https:[^)\s]+)\)/g, '<a href="$2">$1</a>')

export const slugify = (name: string): string =>
	name
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '-')
		.replaceAll(/^-|-$/g, '')
