// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a sample of source code holds a template
import { expect, test } from 'vitest'
import { judgeGrowth } from '../../../scripts/check/expressions/growth.ts'
import { findExpressions, judgeExpressions } from '../../../scripts/check/expressions.ts'

const judge = (texts: readonly string[]) =>
	judgeExpressions(texts, (judged) => Promise.all(judged.map((text) => judgeGrowth(text))))

test.each([
	['of the browser in a header', String.raw`/\bVersion\/.*\bSafari\//`],
	['of the parts of an upload', String.raw`/<Part>(.*?)<\/Part>/s`],
	['of what ends a text', '/-+$/'],
	['with a lookahead that scans the rest', String.raw`/\bAndroid\b(?!.*\bMobile\b)/`],
	['with nested repetitions', '/^(a+)+$/'],
])('npm run check refuses an expression %s, which takes quadratic time', async (_, text) => {
	expect([...(await judge([text])).keys()]).toEqual([text])
})

test('npm run check accepts expressions that take linear time', async () => {
	const linear = [String.raw`/\bVersion\//`, '/^a+$/', '/<[^<>]*>/g', String.raw`/(?<![.\s])[.\s]+$/`]
	expect(await judge(linear)).toEqual(new Map())
})

test('npm run check finds every expression of a file, and refuses composed ones', async () => {
	const source =
		"const a = /x+/g\nconst b = 6 / 2 / 1 // /y+/\nconst c = '/z+/'\nconst d = new RegExp(`^${c}`)"
	const found = findExpressions('edge/a.ts', source)
	expect(found.map(({ line, text }) => [line, text])).toEqual([
		[1, '/x+/g'],
		[4, 'new RegExp'],
	])
	expect([...(await judge(found.map(({ text }) => text))).keys()]).toEqual(['new RegExp'])
})
