import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/lib/root.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

const run = (...options: string[]) =>
	execa(process.execPath, [join(root, 'scripts/generate/reference.ts'), ...options], { reject: false })

test('npm run reference writes pages whose links lead to files of the folder, and that call nothing', async () => {
	const out = await temporaryDirectory()
	const { stdout, exitCode } = await run('--out', out)
	expect([exitCode, stdout]).toEqual([0, expect.stringContaining('index.html')])
	const files = await readdir(out)
	expect(files).toEqual(expect.arrayContaining(['index.html', 'assets.html', 'reference.css', 'search.js']))
	const pages = files.filter((file) => file.endsWith('.html'))
	for (const file of pages) {
		const html = await readFile(join(out, file), 'utf8')
		expect(html).not.toContain('try.js')
		for (const [, target = ''] of html.matchAll(/(?:href|src|data-index)="([^"]*)"/g)) {
			if (target.startsWith('https:')) continue
			const [path = '', anchor = ''] = target.split('#')
			expect(files).toContain(path || file)
			if (anchor && !path) expect(html).toContain(`id="${anchor}"`)
		}
	}
	const found = JSON.parse(await readFile(join(out, 'search.json'), 'utf8')) as { url: string }[]
	for (const { url } of found) {
		const [page = '', id = ''] = url.split('#')
		expect(await readFile(join(out, page), 'utf8')).toContain(`id="${id}"`)
	}
})

test('npm run reference without a directory ends with a sentence', async () => {
	const { stderr, exitCode } = await run()
	expect([exitCode, stderr]).toEqual([64, 'no directory given; add --out DIRECTORY'])
})
