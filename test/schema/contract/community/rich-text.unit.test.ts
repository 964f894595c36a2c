import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRichText } from '#schema/contract/community/rich-text.ts'

const text = (value: string, marks?: object[]) => ({ type: 'text', text: value, ...(marks && { marks }) })
const paragraph = (...content: object[]) => ({ type: 'paragraph', content })
const item = (...content: object[]) => ({ type: 'listItem', content })
const doc = (...content: object[]) => ({ type: 'doc', content })

describe('the text of a TipTap document', () => {
	test('rich text keeps paragraphs, headings, quotes, code and line breaks as lines', () => {
		const document = doc(
			{ type: 'heading', attrs: { level: 2 }, content: [text('Title')] },
			paragraph(text('One '), text('bold', [{ type: 'bold' }]), { type: 'hardBreak' }, text('two')),
			{ type: 'blockquote', content: [paragraph(text('Said'))] },
			{ type: 'horizontalRule' },
			{ type: 'codeBlock', content: [text('a = 1')] },
		)
		expect(readRichText(document)).toEqual({ text: 'Title\n\nOne bold\ntwo\n\nSaid\n\n---\n\na = 1' })
	})

	test('rich text numbers and indents lists', () => {
		const inner = { type: 'bulletList', content: [item(paragraph(text('inner')))] }
		const document = doc({
			type: 'orderedList',
			attrs: { start: 3 },
			content: [item(paragraph(text('first')), inner), item(paragraph(text('second')))],
		})
		expect(readRichText(document)).toEqual({ text: '3. first\n   - inner\n4. second' })
	})

	test('rich text shows mentions by their label, and links with their address', () => {
		const link = [{ type: 'link', attrs: { href: 'https://a.test/x' } }]
		const document = doc(
			paragraph({ type: 'mention', attrs: { label: 'Ada' } }, text(' see '), text('this', link)),
			paragraph(text('https://a.test/x', link)),
		)
		expect(readRichText(document)).toEqual({
			text: '@Ada see this (https://a.test/x)\n\nhttps://a.test/x',
		})
	})

	test.each([
		[doc({ type: 'image', attrs: { src: 'x' } }), 'the node image is not supported'],
		[doc(paragraph({ type: 'poll' })), 'the node poll is not supported'],
		[doc({ type: 'no <b>' }), 'the node without a known type is not supported'],
		[doc(paragraph({ type: 'mention', attrs: { sgid: 'x' } })), 'a mention has no label'],
		[paragraph(text('x')), 'must be a document'],
		[null, 'must be a document'],
	])('rich text is refused for the document %j', (document, problem) => {
		expect(readRichText(document)).toEqual({ problem: expect.stringContaining(problem) })
	})

	test('rich text is refused for documents that are too deep or have too many nodes', () => {
		let deep: object = paragraph(text('x'))
		for (let i = 0; i < 30; i++) deep = { type: 'blockquote', content: [deep] }
		expect(readRichText(doc(deep))).toEqual({ problem: 'nodes are nested more than 20 deep' })
		const many = doc(...Array.from({ length: 5_001 }, () => paragraph()))
		expect(readRichText(many)).toEqual({ problem: 'has more than 5000 nodes' })
	})

	test('rich text is read or refused for any JSON value, without an exception', () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 6 }), (content) => {
				const read = readRichText({ type: 'doc', content })
				expect('text' in read || 'problem' in read).toBe(true)
			}),
		)
	})
})
