/** @module-tag ffmpeg */
import { expect, test } from 'vitest'
import { root } from '../../../scripts/lib/root.ts'
import { launchCommand, startPlayhouse } from '../../support/node/playhouse-process.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

async function seed(
	env: Record<string, string>,
	...args: string[]
): Promise<{ code: number | null; output: string }> {
	const run = launchCommand(root, 'seed', env, ...args)
	const code = await run.exitCode
	return { code, output: run.output() }
}

test('npm run seed fills an installation, and adds nothing in a second run', async () => {
	const env = { DATA_DIR: await temporaryDirectory() }
	const playhouse = startPlayhouse(env, '--no-daemon')
	const url = await playhouse.url
	await expect.poll(playhouse.output).toContain(`  DATA_DIR='${env.DATA_DIR}' npm run seed -- --url ${url}\n`)
	const first = await seed(env, '--url', url, '--no-wait')
	expect(first.output).toContain('Sign in with the password')
	expect(first.code).toBe(0)
	for (const item of [
		'video Demo: test card',
		'member Bruno',
		'post Welcome',
		'comment Good',
		'reaction ❤️',
		'guest',
	])
		expect(first.output).toContain(`created  ${item}`)
	const pages = [...first.output.matchAll(/^ {2}(\S+\/watch\/\S+) {2}Demo: /gm)].map(([, page = '']) => page)
	expect(pages).toHaveLength(3)
	for (const page of pages) expect((await fetch(page)).headers.get('content-type')).toMatch(/^text\/html/)
	const second = await seed(env, '--url', url, '--no-wait')
	expect(second.output).toContain('\n0 created, ')
	expect(second.output).not.toContain('  created ')
	expect(second.code).toBe(0)
	const elsewhere = await seed({ DATA_DIR: await temporaryDirectory() }, '--url', url, '--no-wait')
	expect(elsewhere.output).toContain('The other members were not added')
	const other = await seed(env, '--url', url, '--no-wait', '--password', 'another-lantern-42')
	expect(other).toEqual({
		code: 1,
		output: expect.stringContaining('demo-ada@example.com has another password there'),
	})
})

test('npm run seed explains what to do without a running installation or with an unknown option', async () => {
	const none = await seed({}, '--url', 'http://127.0.0.1:1')
	expect(none).toEqual({
		code: 1,
		output: expect.stringMatching(/^no Playhouse runs at .* npm start .*--url\n$/),
	})
	expect((await seed({}, '--what')).output).toMatch(/^.*--what.*--help\n$/)
})
