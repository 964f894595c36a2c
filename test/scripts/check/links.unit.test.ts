import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrokenLinks } from '../../../scripts/check/links.ts'
import { findAnchors, findLinks } from '../../../scripts/check/markdown-links.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

async function tree(files: Record<string, string>): Promise<string> {
	const root = await temporaryDirectory()
	for (const [name, text] of Object.entries(files)) {
		await mkdir(dirname(join(root, name)), { recursive: true })
		await writeFile(join(root, name), text)
	}
	return root
}

test('the check of links reports a broken link with its file, line and reason', async () => {
	const root = await tree({
		'README.md': '# Hello\n\nSee [the guide](docs/guide.md).\n',
		'docs/guide.md': 'Back to [start](../README.md#helo), then [code](../edge/gone.ts).\n',
	})
	expect(await findBrokenLinks(root)).toEqual([
		{ file: 'docs/guide.md', line: 1, target: '../README.md#helo', problem: 'no such heading' },
		{ file: 'docs/guide.md', line: 1, target: '../edge/gone.ts', problem: 'no such file' },
	])
})

test('the check of links accepts existing files, folders, anchors and images, and other sites', async () => {
	const root = await tree({
		'README.md':
			'# Read me\n[a](docs/a.md#two-words) [b](docs) [c](#read-me) [d](https://example.com/x#y) [e][1]\n<img src="docs/p.svg">\n\n[1]: docs/a.md\n',
		'docs/a.md': '## Two words\n',
		'docs/p.svg': '<svg/>',
	})
	expect(await findBrokenLinks(root)).toEqual([])
})

test('the check of links rejects links that work only on one machine or site', async () => {
	const root = await tree({ 'a.md': '[x](/etc/hosts) [y](../../elsewhere.md) [z](b.ts#L3)', 'b.ts': '' })
	expect((await findBrokenLinks(root)).map(({ problem }) => problem)).toEqual([
		'the link is absolute; make it relative to this file',
		'the link leaves the repository',
		'only Markdown files have anchors; link to the file itself',
	])
})

test('the check of links ignores the Markdown files of installed packages', async () => {
	const root = await tree({ 'node_modules/p/README.md': '[x](gone.md)', 'a.md': '' })
	expect(await findBrokenLinks(root)).toEqual([])
})

test('the check of links ignores code and comments', () => {
	const markdown = 'a `[x](y)` b\n\n```md\n[x](y)\n```\n<!-- [x](y)\n[x](y) -->\n[real](z)\n'
	expect(findLinks(markdown)).toEqual([{ target: 'z', line: 8 }])
})

test('the check of links finds links with titles, brackets, parentheses and spaces', () => {
	expect(findLinks('[a [b]](c "t") ![d](<e f.png>) [g](h_(i))').map(({ target }) => target)).toEqual([
		'c',
		'e f.png',
		'h_(i)',
	])
})

test.each([
	['# Who may call?', 'who-may-call'],
	['## `npm start` & *more*', 'npm-start--more'],
	['### [Linked](x.md) words ###', 'linked-words'],
	['## HEVC and AV1: what, when', 'hevc-and-av1-what-when'],
	['## snake_case', 'snake_case'],
])('the check of links computes the same anchor as GitHub for %s', (heading, anchor) => {
	expect([...findAnchors(heading)]).toEqual([anchor])
})

test('the check of links numbers repeated headings and accepts explicit ids', () => {
	expect([...findAnchors('# A\n# A\n<a id="b"></a>')]).toEqual(['a', 'a-1', 'b'])
})
