import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { superviseDaemon } from '../../../scripts/start/daemon.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const patient = { timeout: 30_000, interval: 50 }

async function daemonOf(body: string) {
	const directory = await temporaryDirectory()
	const main = join(directory, 'main.mjs')
	const log = join(directory, 'log')
	await appendFile(log, '')
	await writeFile(
		main,
		`import { appendFileSync } from 'node:fs'\nconst say = (t) => appendFileSync(${JSON.stringify(log)}, t)\n${body}`,
	)
	const daemon = superviseDaemon(process.env, main)
	onTestFinished(() => daemon.stop())
	return { daemon, said: () => readFile(log, 'utf8') }
}

test('a daemon that ends is started again', async () => {
	const { said } = await daemonOf(`say('up ')`)
	await vi.waitFor(async () => expect(await said()).toBe('up up '), patient)
})

test('does not start a daemon again that is set up wrongly', async () => {
	const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
	onTestFinished(() => printed.mockRestore())
	const { said } = await daemonOf(`say('up '); process.exit(78)`)
	await vi.waitFor(
		() => expect(printed.mock.lastCall?.[0]).toContain('does not run as it is set up'),
		patient,
	)
	expect(await said()).toBe('up ')
})

test('a stopped daemon may finish what it does, and is not started again', async () => {
	const { daemon, said } = await daemonOf(
		`setInterval(() => {}, 1000); process.on('SIGTERM', () => { say('handed back'); process.exit(0) }); say('up, ')`,
	)
	await vi.waitFor(async () => expect(await said()).toBe('up, '), patient)
	await daemon.stop()
	expect(await said()).toBe('up, handed back')
})
