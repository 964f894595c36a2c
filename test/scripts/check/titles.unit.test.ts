// biome-ignore-all lint/suspicious/noTemplateCurlyInString: samples of source code hold templates
import { expect, test } from 'vitest'
import { findTitleProblems } from '../../../scripts/check/titles.ts'

const find = (text: string) => findTitleProblems([{ path: 'test/x.unit.test.ts', text }])

test.each([
	['a test', "test('is refused', () => {})"],
	['an it', 'it("can’t be refused", () => {})'],
	['a straight apostrophe', 'it("can\'t be refused", () => {})'],
	['a template', 'test(`without ${n} rows`, () => {})'],
	['a title on a line of its own', "test(\n\t'never ends',\n\t() => {},\n)"],
	['a test with options', "test('has two rows', { tags: 'd1' }, async () => {})"],
	['a table', "test.each([\n\t['a', (b) => b(')')],\n])('with %s', () => {})"],
	['a table with types', "test.each<[a: string, b: () => Map<string, 1>]>([['a', c]])('of %s', () => {})"],
	['a chain', "it.skipIf(a('x')).for(rows)('only ends', () => {})"],
	['a test inside a describe', "describe('a row', () => {\n\ttest('is deleted', () => {})\n})"],
])('the check of titles reports a fragment as the title of %s', (_, text) => {
	expect(find(text)).toEqual([
		expect.stringMatching(/^test\/x\.unit\.test\.ts:\d+: the title “.*” begins with “/),
	])
})

test.each([
	['a sentence', "test('a row is deleted', () => {})"],
	['a sentence with a verb first', "test('rejects a second upload', () => {})"],
	['a longer word', "test('issues a token', () => {})\ntest('its-me is a name', () => {})"],
	['a method in capitals', "test('GET returns a row', () => {})"],
	['a describe', "describe('with two rows', () => {})"],
	['a value in a table', "test.each(['is', 'of'])('accepts %s', () => {})"],
	['a comment and a literal', "// test('is refused')\nexpect(x).toBe(\"test('is refused')\")"],
	['another call', "/^a/.test('is'), latest('is')"],
])('the check of titles accepts %s', (_, text) => {
	expect(find(text)).toEqual([])
})

test('the check of titles names the file, the line, the title, its first word and what to do', () => {
	expect(find("\n\ntest('is refused', () => {})")).toEqual([
		'test/x.unit.test.ts:3: the title “is refused” begins with “is”; name what it is about, so that it can be understood without its describe',
	])
})
