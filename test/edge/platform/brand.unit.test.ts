import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderHtml } from '../../../edge/accounts/mail/layout.ts'
import { BRAND_COLOR } from '../../../edge/platform/brand.ts'

const readPage = (path: string) =>
	readFileSync(join(import.meta.dirname, '../../../edge/web/pages', path), 'utf8')

test.each([
	['the logo', () => readPage('landing/playhouse.svg')],
	['the style sheet of every page', () => readPage('shared/base.css')],
	['the style sheet of the reference', () => readPage('reference/reference.css')],
	[
		'a mail with a button',
		() =>
			renderHtml({ heading: 'H', paragraphs: [], action: { label: 'Go', link: 'https://a' }, footnote: '' }),
	],
])('%s contains the color of the product', (_, read) => {
	expect(read()).toContain(BRAND_COLOR)
})
