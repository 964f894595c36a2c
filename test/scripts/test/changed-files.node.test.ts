import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { isFollowed, listChangedWithoutTests } from '../../../scripts/test/changed-files.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

test.each([
	['edge/app.ts', true],
	['package.json', true],
	['edge/web/player/player.ts', false],
	['edge/web/player/player.css', false],
	['edge/watch/player/pages/embed.html', false],
	['schema/migrations/0031_disk.sql', false],
	['wrangler.toml', false],
	['schema/openapi.json', false],
])('npm test --changed detects whether the tests that use %s follow it: %s', (path, expected) => {
	expect(isFollowed(path)).toBe(expected)
})

test('npm test --changed lists changed files without following tests, and documents that a test reads', async () => {
	const root = await temporaryDirectory()
	const write = async (path: string, text: string) => {
		await mkdir(dirname(join(root, path)), { recursive: true })
		await writeFile(join(root, path), text)
	}
	const git = (...args: string[]) => {
		const identity = ['-c', 'user.name=test', '-c', 'user.email=test@playhouse.example']
		expect(spawnSync('git', [...identity, ...args], { cwd: root }).status).toBe(0)
	}
	const files = ['edge/app.ts', 'wrangler.toml', 'docs/metrics.md', 'docs/other.md', 'README.md']
	git('init', '--quiet')
	await write('test/a.unit.test.ts', `read('../docs/metrics.md'); write('README.md') // see docs/other.md`)
	for (const path of files) await write(path, '1')
	git('add', '.')
	git('commit', '--quiet', '--message', 'all')
	const changed = (passed: number, since = 'HEAD') =>
		listChangedWithoutTests(since, { root, testFiles: ['test/a.unit.test.ts'], passed })
	expect(changed(0)).toEqual([])
	for (const path of files) await write(path, '2')
	await write('schema/migrations/0001_new.sql', '')
	expect(changed(3)).toEqual(['docs/metrics.md', 'wrangler.toml', 'schema/migrations/0001_new.sql'])
	expect(changed(0)).toContain('edge/app.ts')
	expect(changed(0)).not.toEqual(expect.arrayContaining(['docs/other.md', 'README.md']))
	expect(() => changed(0, 'gone')).toThrow('git diff')
})
