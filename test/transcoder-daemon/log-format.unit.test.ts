import { expect, test } from 'vitest'
import { formatEntry, isLogged, type LogEntry, readLogOptions } from '../../transcoder-daemon/log-format.ts'

const time = '2026-11-23T08:05:09.123Z'
const entry = (message: string, fields: LogEntry['fields'] = {}, level: LogEntry['level'] = 'info') => ({
	...{ time, level, message, fields },
})
const pretty = (one: LogEntry) => formatEntry(one, { format: 'pretty', color: false }).replace(/^\S+ /, '')

test.each([
	['a terminal', {}, { isTTY: true }, { format: 'pretty', level: 'info', color: true }],
	['a pipe', {}, {}, { format: 'json', level: 'info', color: false }],
	['json on a terminal', { LOG_FORMAT: 'json' }, { isTTY: true }, { format: 'json' }],
	['pretty in a pipe', { LOG_FORMAT: 'pretty' }, {}, { format: 'pretty', color: false }],
	['a terminal without colors', { NO_COLOR: '1' }, { isTTY: true }, { format: 'pretty', color: false }],
	['a level', { LOG_LEVEL: 'debug' }, {}, { level: 'debug' }],
	['unknown values', { LOG_LEVEL: 'loud', LOG_FORMAT: 'xml' }, {}, { level: 'info', format: 'json' }],
])('the daemon chooses the log format for %s', (_, env, out, expected) => {
	expect(readLogOptions(env, out)).toMatchObject(expected)
})

test('the daemon logs entries of the minimum level and above', () => {
	expect(isLogged('info', 'info')).toBe(true)
	expect(isLogged('debug', 'info')).toBe(false)
	expect(isLogged('error', 'warn')).toBe(true)
})

test('the log prints a request as method, path, status, time, statements and id', () => {
	const fields = { method: 'GET', path: '/v1/assets', status: 200, ms: 12, sql: 3, requestId: 'req-1' }
	expect(pretty(entry('request', fields))).toBe('info  GET    /v1/assets 200 12 ms 3 sql req-1')
	const { path: _, ...withoutPath } = fields
	expect(pretty(entry('request', { ...withoutPath, operation: 'listAssets' }))).toContain(' listAssets 200 ')
})

test('the log prints fields by name, quotes those with spaces, and omits missing ones', () => {
	const fields = { id: 'a1', reason: 'no sound', none: null, missing: undefined }
	expect(pretty(entry('task failed', fields, 'warn'))).toBe('warn  task failed id=a1 reason="no sound"')
})

test('the log prints a stack below its entry', () => {
	const lines = pretty(entry('failed', { stack: 'Error: x\n    at y (z.ts:1:2)' }, 'error')).split('\n')
	expect(lines[0]).toBe('error failed')
	expect(lines[2]).toMatch(/^\s+at y \(z\.ts:1:2\)$/)
})

test('the log removes control and bidirectional characters from foreign text', () => {
	const hostile = 'a\u001b[2J\u001b]0;x\u0007b\u202ec\rd'
	for (const one of [
		entry(hostile),
		entry('m', { title: hostile }),
		entry('failed', { stack: hostile }, 'error'),
		entry('request', { method: 'GET', path: hostile, status: 200 }),
	]) {
		expect(formatEntry(one, { format: 'pretty', color: false })).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
		expect(formatEntry(one, { format: 'json', color: false })).not.toMatch(/\p{Cc}/u)
	}
})

test('the log prints JSON with time, level, message and fields', () => {
	const line = formatEntry(entry('registered', { machineId: 'm' }), { format: 'json', color: true })
	expect(JSON.parse(line)).toEqual({ time, level: 'info', message: 'registered', machineId: 'm' })
})

test('the log colors levels and statuses if colors are enabled', () => {
	const colored = (fields: LogEntry['fields']) =>
		formatEntry(entry('request', { method: 'GET', path: '/', ...fields }), { format: 'pretty', color: true })
	expect(colored({ status: 500 })).toContain('\u001b[31m500\u001b[0m')
	expect(colored({ status: 200 })).toContain('\u001b[32m200\u001b[0m')
})
