import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderHtml } from '../../../edge/accounts/mail/layout.ts'
import { BRAND_COLOR } from '../../../edge/platform/brand.ts'

const readPage = (path: string) =>
	readFileSync(join(import.meta.dirname, '../../../edge/web/pages', path), 'utf8')

/** The accent color of a style sheet in light mode. */
const LIGHT_ACCENT = /--accent: *(?:light-dark\()?([^,;)]*)/g

const findAll = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, color]) => color)

test.each([
	['the logo', () => findAll(readPage('landing/playhouse.svg'), /<rect[^>]* fill="([^"]*)"/g)],
	['the style sheet of every page', () => findAll(readPage('shared/base.css'), LIGHT_ACCENT)],
	['the style sheet of the reference', () => findAll(readPage('reference/reference.css'), LIGHT_ACCENT)],
	[
		'a mail with a button',
		() => {
			const action = { label: 'Go', link: 'https://a' }
			const mail = renderHtml({ heading: 'H', paragraphs: [], action, footnote: '' })
			return findAll(mail, /<a [^>]*background:([^;"]*)/g)
		},
	],
])('%s has the color of the product wherever it sets one', (_, findColors) => {
	expect(findColors()).toEqual([BRAND_COLOR])
})
