import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type ConsoleOptions, openConsole } from '../../../../scripts/lib/console/console.ts'
import { routineMessages } from '../../../../scripts/lib/console/routine.ts'
import { checkLogOptions } from '../../../../scripts/lib/console/settings.ts'
import { root } from '../../../../scripts/lib/root.ts'

function openTestConsole(parts: Partial<ConsoleOptions> = {}) {
	const lines: string[] = []
	const out = openConsole({
		...{ format: 'json', level: 'info', color: false, now: () => new Date(0) },
		write: (line) => lines.push(line),
		...parts,
	})
	return {
		out,
		lines,
		messages: () => lines.map((line) => (JSON.parse(line) as { message: string }).message),
	}
}

const printed = (message: string, fields: object = {}, level = 'info') =>
	JSON.stringify({ level, message, ...fields })
const request = (fields: object) => printed('request', { method: 'GET', ms: 1, ...fields })

test('the console prints health checks, heartbeats and claims at debug only', () => {
	const all = [
		request({ operation: 'healthReady', status: 200 }),
		request({ operation: 'heartbeatMachine', status: 200 }),
		request({ operation: 'claimTask', status: 200 }),
		request({ path: '/v1/fleet/tasks/tsk_1/heartbeat', status: 200 }),
		request({ path: '/health/live', status: 200 }),
		printed('task claimed', { time: '2026-11-23T00:00:00.000Z' }),
	]
	for (const [level, expected] of [
		['info', 0],
		['debug', all.length],
	] as const) {
		const { out, lines } = openTestConsole({ level, requests: 'info' })
		for (const text of all) out.printed(text)
		expect(lines).toHaveLength(expected)
	}
})

test('the console prints requests at the chosen level, and failed ones always', () => {
	const texts = [404, 200, 503].map((status) => request({ operation: 'listAssets', status }))
	const quiet = openTestConsole()
	const verbose = openTestConsole({ requests: 'info' })
	for (const text of texts) {
		quiet.out.printed(text)
		verbose.out.printed(text)
	}
	expect(quiet.lines.map((line) => JSON.parse(line).status)).toEqual([503])
	expect(verbose.lines.map((line) => JSON.parse(line).status)).toEqual([404, 200, 503])
})

test('the console prints a rejected heartbeat', () => {
	const { out, lines } = openTestConsole({ requests: 'info' })
	out.printed(request({ operation: 'heartbeatMachine', status: 401 }))
	expect(lines).toHaveLength(1)
})

test('the console prints each state of a video once, and its progress in steps of ten percent', () => {
	const { out, lines } = openTestConsole({ format: 'pretty' })
	const logVideo = (state: string, fields: object = {}) =>
		out.printed(printed(`video ${state}`, { assetId: 'ast_1', title: 'Film', requestId: 'r', ...fields }))
	logVideo('created')
	logVideo('created')
	logVideo('queued')
	// Its event was delivered after the next one.
	logVideo('uploaded')
	for (const percent of [5, 9, 15, 16, 98]) logVideo('processing', { percent })
	logVideo('playable')
	logVideo('processing', { percent: 99 })
	logVideo('ready')
	logVideo('ready')
	logVideo('queued')
	logVideo('failed', { reason: 'no picture' })
	expect(lines.map((line) => line.replace(/^\S+ info {2}video /, ''))).toEqual([
		'created title=Film assetId=ast_1',
		'queued title=Film assetId=ast_1',
		'processing 5 % title=Film assetId=ast_1',
		'processing 15 % title=Film assetId=ast_1',
		'processing 98 % title=Film assetId=ast_1',
		'playable title=Film assetId=ast_1',
		'ready title=Film assetId=ast_1',
		'queued title=Film assetId=ast_1',
		'failed title=Film assetId=ast_1 reason="no picture"',
	])
})

test('the console prints a mail unchanged on a terminal, and as one entry in JSON', () => {
	const mail = '\n────\nSubject: Your code\n\n    123456\n────\n'
	const terminal = openTestConsole({ format: 'pretty' })
	terminal.out.printed(mail)
	expect(terminal.lines).toEqual([mail])
	const json = openTestConsole()
	json.out.printed(mail)
	expect(json.messages()).toEqual([mail.trim()])
})

test('the console treats arrays, other objects and incomplete lines as text', () => {
	const { out, messages } = openTestConsole()
	const texts = ['{"level":"info"', '{"a":1}', '[1]', '{"level":"loud","message":"x"}']
	for (const text of texts) out.printed(text)
	expect(messages()).toEqual(texts)
})

test('the console maps the stack of an error and prints object fields as JSON', () => {
	const { out, lines } = openTestConsole({
		mapStack: (stack) => stack.replace('worker.js:1:1', 'edge/app.ts:5:6'),
	})
	out.printed(printed('failed', { stack: 'Error\n at worker.js:1:1', details: { a: 1 } }, 'error'))
	expect(JSON.parse(lines[0] ?? '')).toMatchObject({
		stack: 'Error\n at edge/app.ts:5:6',
		details: '{"a":1}',
	})
})

test('the console prints text for people as one JSON entry per line', () => {
	const { out, lines } = openTestConsole()
	out.text('\nPlayhouse is at http://x\n\n  Mail: y\n')
	expect(lines).toHaveLength(1)
	expect(
		lines
			.join()
			.split('\n')
			.map((line) => JSON.parse(line).message),
	).toEqual(['Playhouse is at http://x', 'Mail: y'])
})

test('the console rejects an unknown level or format', () => {
	const out = process.stdout
	expect(() => checkLogOptions({ LOG_LEVEL: 'loud' }, out)).toThrow(
		'LOG_LEVEL: must be one of debug, info, warn, error, not loud',
	)
	expect(() => checkLogOptions({ LOG_FORMAT: 'xml' }, out)).toThrow('LOG_FORMAT: must be one of pretty, json')
	expect(checkLogOptions({ LOG_LEVEL: 'warn', LOG_FORMAT: 'json' }, out)).toMatchObject({ level: 'warn' })
})

test('the console prints lines for people into a pipe, unless LOG_FORMAT requests JSON', () => {
	const pipe = { isTTY: false } as NodeJS.WriteStream
	expect(checkLogOptions({}, pipe)).toEqual({ format: 'pretty', level: 'info', color: false })
	expect(checkLogOptions({ LOG_FORMAT: '' }, pipe)).toMatchObject({ format: 'pretty' })
	expect(checkLogOptions({ LOG_FORMAT: 'json' }, pipe)).toMatchObject({ format: 'json' })
})

test('the routine messages of the console are ones that the Worker or the daemon logs', async () => {
	let sources = ''
	for await (const path of glob(['edge/**/*.ts', 'transcoder-daemon/**/*.ts'], { cwd: root }))
		sources += await readFile(`${root}/${path}`, 'utf8')
	expect([...routineMessages].filter((message) => !sources.includes(`log.info('${message}'`))).toEqual([])
})
