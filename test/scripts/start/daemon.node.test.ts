import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { superviseDaemon } from '../../../scripts/start/daemon.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

const waitOptions = { timeout: 60_000, interval: 50 }

async function daemonOf(body: string, misconfiguredPauseMs?: number) {
	const directory = await temporaryDirectory()
	const main = join(directory, 'main.mjs')
	const log = join(directory, 'log')
	await appendFile(log, '')
	await writeFile(
		main,
		`import { appendFileSync } from 'node:fs'\nconst write = (t) => appendFileSync(${JSON.stringify(log)}, t)\n${body}`,
	)
	const printed: string[] = []
	const out = {
		printed: (text: string) => void printed.push(text),
		log: (_: string, message: string) => void printed.push(message),
	}
	const daemon = superviseDaemon(process.env, out, main, misconfiguredPauseMs)
	onTestFinished(() => daemon.stop())
	return { daemon, printed, readLog: () => readFile(log, 'utf8') }
}

const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('npm start restarts a daemon that has ended', async () => {
	const { readLog } = await daemonOf(`write('up ')`)
	await vi.waitFor(async () => expect(await readLog()).toBe('up up '), waitOptions)
})

test('reports a misconfigured daemon once, and does not restart it in a loop', async () => {
	const { readLog, printed } = await daemonOf(`console.error('why'); write('up '); process.exit(78)`)
	await vi.waitFor(() => expect(printed.join()).toMatch(/is misconfigured/), waitOptions)
	await vi.waitFor(() => expect(printed).toContain('why'), waitOptions)
	expect(await readLog()).toBe('up ')
	expect(printed.filter((line) => /transcoder/.test(line))).toEqual([
		expect.stringMatching(/the line above says what to do\. It is tried again in an hour; restart Playhouse/),
	])
})

test('npm start stops a misconfigured daemon that waits for its next try', async () => {
	const { daemon, printed } = await daemonOf(`process.exit(78)`)
	await vi.waitFor(() => expect(printed.join()).toMatch(/is misconfigured/), waitOptions)
	const timers = countTimers()
	const stopped = daemon.stop()
	expect(countTimers()).toBe(timers - 1)
	await stopped
})

test('npm start tries a misconfigured daemon again after its pause', async () => {
	const { readLog } = await daemonOf(`write('up '); process.exit(78)`, 1)
	await vi.waitFor(async () => expect(await readLog()).toMatch(/^up up /), waitOptions)
})

test('npm start lets a stopped daemon return its tasks, and does not restart it', async () => {
	const { daemon, readLog } = await daemonOf(
		`setInterval(() => {}, 1000); process.on('SIGTERM', () => { write('returned'); process.exit(0) }); write('up, ')`,
	)
	await vi.waitFor(async () => expect(await readLog()).toBe('up, '), waitOptions)
	await daemon.stop()
	expect(await readLog()).toBe('up, returned')
})

test('npm start lets a restarted daemon return its tasks, and loads its code again', async () => {
	const { daemon, readLog } = await daemonOf(
		`setInterval(() => {}, 1000); process.on('SIGTERM', () => { write('returned, '); process.exit(0) }); write('up, ')`,
	)
	await vi.waitFor(async () => expect(await readLog()).toBe('up, '), waitOptions)
	await daemon.restart()
	await vi.waitFor(async () => expect(await readLog()).toBe('up, returned, up, '), waitOptions)
	await daemon.stop()
	expect(await readLog()).toBe('up, returned, up, returned, ')
})

test('a daemon that is stopped during a restart stays stopped', async () => {
	const { daemon, readLog } = await daemonOf(
		`setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(0)); write('up, ')`,
	)
	await vi.waitFor(async () => expect(await readLog()).toBe('up, '), waitOptions)
	await Promise.all([daemon.restart(), daemon.stop()])
	expect(await readLog()).toBe('up, ')
})
