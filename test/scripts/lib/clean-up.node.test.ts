import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

const holder = (how: string) => `
	import { writeFileSync } from 'node:fs'
	import { openTemporaryFolder } from './scripts/lib/clean-up.ts'
	using folder = await openTemporaryFolder('playhouse-clean-')
	writeFileSync(folder.path + '/restored.db', 'everybody')
	console.log(folder.path)
	${how}
`

async function runHolder(how: string) {
	const folder = await temporaryDirectory()
	const process = execa('node', ['--input-type=module', '--eval', holder(how)], {
		env: { TMPDIR: folder },
		reject: false,
	})
	const [path] = await once(createInterface({ input: process.stdout }), 'line')
	return { folder, process, path: String(path) }
}

test.each([
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 129],
] as const)('a temporary folder is deleted if %s ends the process', async (signal, exitCode) => {
	const { process, path, folder } = await runHolder('await new Promise(() => setInterval(() => {}, 1000))')
	expect(existsSync(`${path}/restored.db`)).toBe(true)
	process.kill(signal)
	expect(await process).toMatchObject({ exitCode })
	expect(await readdir(folder)).toEqual([])
})

test.each([
	['its end', ''],
	['process.exit', 'process.exit(0)'],
	['an error', "throw new Error('damaged')"],
])('a temporary folder is deleted after %s', async (_, how) => {
	const { process, folder } = await runHolder(how)
	await process
	expect(await readdir(folder)).toEqual([])
})
