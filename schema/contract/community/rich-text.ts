import { z } from 'zod'

const MAX_DEPTH = 20
const MAX_NODES = 5_000

class UnreadableError extends Error {}

/** Untrusted: every field is checked where it is read. */
type Node = { type?: unknown; text?: unknown; content?: unknown; attrs?: unknown; marks?: unknown }

const fieldsOf = (value: unknown): Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as Record<string, unknown>)
		: {}

/** Block nodes whose children are inline nodes, such as text. */
const inlineParents = new Set(['paragraph', 'heading', 'codeBlock'])

/** Returns the names of a foreign document in a form that fits into an error. */
const quoted = (name: unknown): string =>
	typeof name === 'string' && /^\w{1,40}$/.test(name) ? name : 'without a known type'

function mentionText(attrs: unknown): string {
	const { label, name } = fieldsOf(attrs)
	const shown = [label, name].find((text) => typeof text === 'string' && text.trim() !== '')
	if (shown === undefined)
		throw new UnreadableError('a mention has no label; send the name of the member in it')
	return `@${shown}`
}

/** Appends the address of a link to its text, which else would be lost. */
function linkedText(text: string, marks: unknown): string {
	const link = Array.isArray(marks) ? marks.map(fieldsOf).find(({ type }) => type === 'link') : undefined
	const { href } = fieldsOf(link?.attrs)
	return typeof href === 'string' && /^(https?:\/\/|mailto:)\S+$/.test(href) && href !== text
		? `${text} (${href})`
		: text
}

function listText(items: string[], firstNumber: number | null): string {
	return items
		.map((item, i) => {
			const sign = firstNumber === null ? '- ' : `${firstNumber + i}. `
			return sign + item.replaceAll('\n', `\n${' '.repeat(sign.length)}`)
		})
		.join('\n')
}

function nodeText(value: unknown, depth: number, budget: { nodes: number }): string {
	const { type, text, content, attrs, marks } = fieldsOf(value) as Node
	if (depth > MAX_DEPTH) throw new UnreadableError(`nodes are nested more than ${MAX_DEPTH} deep`)
	if (--budget.nodes < 0) throw new UnreadableError(`has more than ${MAX_NODES} nodes`)
	const children = () =>
		(Array.isArray(content) ? content : []).map((child) => nodeText(child, depth + 1, budget))
	if (type === 'doc' || type === 'blockquote') return children().join('\n\n')
	if (typeof type === 'string' && inlineParents.has(type)) return children().join('')
	if (type === 'bulletList') return listText(children(), null)
	if (type === 'orderedList') {
		const { start } = fieldsOf(attrs)
		return listText(children(), Number.isSafeInteger(start) ? (start as number) : 1)
	}
	if (type === 'listItem') return children().join('\n')
	if (type === 'text') return linkedText(typeof text === 'string' ? text : '', marks)
	if (type === 'hardBreak') return '\n'
	if (type === 'horizontalRule') return '---'
	if (type === 'mention') return mentionText(attrs)
	throw new UnreadableError(`the node ${quoted(type)} is not supported; send plain text instead`)
}

/** Returns the plain text of a TipTap document, or why it has none that says the same. */
export function readRichText(document: unknown): { text: string } | { problem: string } {
	try {
		if (fieldsOf(document).type !== 'doc') throw new UnreadableError('must be a document of type doc')
		return { text: nodeText(document, 0, { nodes: MAX_NODES }).trim() }
	} catch (error) {
		if (error instanceof UnreadableError) return { problem: error.message }
		throw error
	}
}

/** `tiptap_body` as clients of Circle send it. Only its text is kept. */
export const RichTextBody = z
	.strictObject({ body: z.looseObject({ type: z.literal('doc') }) })
	.meta({
		description:
			'A TipTap document, of which only the text is kept: doc, paragraph, heading, blockquote, lists, codeBlock, horizontalRule, hardBreak, text and mention',
	})
	.transform(({ body }, context) => {
		const read = readRichText(body)
		if ('text' in read) return read.text
		context.addIssue({ code: 'custom', message: read.problem })
		return z.NEVER
	})
