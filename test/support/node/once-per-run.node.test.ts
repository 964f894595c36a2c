import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { needs } from '../shared/needs.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const program = `
	import { appendFile, writeFile } from 'node:fs/promises'
	const { oncePerRun, runDirectory } = await import(process.argv[1])
	const make = async (path) => {
		await appendFile(runDirectory + '/makers', 'one ')
		await new Promise((done) => setTimeout(done, 100))
		await writeFile(path, 'made')
	}
	await Promise.all([oncePerRun('thing', make), oncePerRun('thing', make)])
`

const runProgram = (directory: string) =>
	promisify(execFile)(
		process.execPath,
		['--input-type=module', '-e', program, join(import.meta.dirname, '../shared/once-per-run.ts')],
		{ env: { ...process.env, TEST_RUN_DIRECTORY: directory } },
	)

test('concurrent processes that need a shared test file have it made by one of them', async () => {
	const directory = await temporaryDirectory()
	await Promise.all([runProgram(directory), runProgram(directory)])
	expect(await readFile(join(directory, 'thing'), 'utf8')).toBe('made')
	expect(await readFile(join(directory, 'makers'), 'utf8')).toBe('one ')
})

test('a shared test file is made again after its maker was killed', async () => {
	const directory = await temporaryDirectory()
	const { pid } = spawnSync('true')
	await writeFile(join(directory, 'thing.lock'), `${pid}`)
	await runProgram(directory)
	expect(await readFile(join(directory, 'makers'), 'utf8')).toBe('one ')
})

test(
	'tests create temporary files in the folder that npm test deletes',
	needs({
		'npm test': process.env.TEST_RUN_DIRECTORY,
	}),
	() => {
		expect(tmpdir()).toBe(process.env.TEST_RUN_DIRECTORY)
	},
)
