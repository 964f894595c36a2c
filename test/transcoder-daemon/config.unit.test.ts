import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ConfigError, readConfig, readLocalConfig, usage } from '../../transcoder-daemon/config.ts'

const token = 'a-token-of-enough-characters'
const required = { PLAYHOUSE_EDGE_URL: 'https://edge.test/', PLAYHOUSE_FLEET_TOKEN: token }

function problemsOf(env: Record<string, string>): readonly string[] {
	try {
		readConfig(env)
		return []
	} catch (error) {
		return (error as ConfigError).problems
	}
}

test('the configuration of the daemon needs only two variables', () => {
	expect(readConfig(required)).toEqual({
		edgeUrl: 'https://edge.test',
		fleetToken: token,
		metricsPort: null,
		name: hostname().slice(0, 100),
		dataDir: join(homedir(), '.local', 'state', 'playhouse-daemon'),
		slots: null,
		codecs: ['h264', 'hevc', 'av1'],
		memoryBytes: null,
		cacheBytes: null,
		drainMs: 25_000,
		allowUnsandboxed: false,
		remembersTrials: false,
		speech: {
			...{ command: null, url: null, model: null, key: null, languages: ['*'] },
			modelsDir: join(homedir(), '.local', 'state', 'playhouse-daemon', 'models'),
		},
	})
})

test('the configuration of the daemon has the port of the monitor', () => {
	const portIn = (port: string) => readConfig({ ...required, PLAYHOUSE_METRICS_PORT: port }).metricsPort
	expect([portIn('0'), portIn('9105'), portIn('')]).toEqual([0, 9_105, null])
	for (const port of ['70000', '-1', '80a', '127.0.0.1:80'])
		expect(problemsOf({ ...required, PLAYHOUSE_METRICS_PORT: port })).toEqual([
			'PLAYHOUSE_METRICS_PORT: must be a port number',
		])
})

test('the configuration of the daemon reads every variable', () => {
	const env = { ...required, PLAYHOUSE_NAME: 'north', PLAYHOUSE_DATA_DIR: '/data', PLAYHOUSE_SLOTS: '3' }
	expect(readConfig(env)).toMatchObject({ name: 'north', dataDir: '/data', slots: 3 })
	expect(readLocalConfig({ XDG_STATE_HOME: '/state' }).dataDir).toBe('/state/playhouse-daemon')
})

test.each([
	['none', ['h264']],
	['av1', ['h264', 'av1']],
	['av1,hevc', ['h264', 'hevc', 'av1']],
])('the daemon parses PLAYHOUSE_CODECS=%s as %j', (text, codecs) => {
	expect(readConfig({ ...required, PLAYHOUSE_CODECS: text }).codecs).toEqual(codecs)
})

test('an empty variable of the daemon counts as unset', () => {
	expect(readConfig({ ...required, PLAYHOUSE_SLOTS: '', PLAYHOUSE_NAME: ' ' })).toMatchObject({
		slots: null,
		name: hostname(),
	})
})

test('the daemon lists every configuration problem, one per line', () => {
	expect(problemsOf({})).toEqual([
		'PLAYHOUSE_EDGE_URL: set it to the http(s) address of the edge',
		"PLAYHOUSE_FLEET_TOKEN: set it to the edge's FLEET_TOKEN",
	])
	expect(problemsOf({ ...required, PLAYHOUSE_EDGE_URL: 'ftp://x', PLAYHOUSE_SLOTS: '0' })).toHaveLength(2)
	expect(problemsOf({ ...required, PLAYHOUSE_FLEET_TOKEN: 'short' })).toEqual([
		'PLAYHOUSE_FLEET_TOKEN: must have at least 24 characters',
	])
	expect(problemsOf({ ...required, PLAYHOUSE_FLEET_TOKEN: 'a token with spaces inside it' })).toEqual([
		'PLAYHOUSE_FLEET_TOKEN: must be printable ASCII without spaces',
	])
	expect(problemsOf({ ...required, PLAYHOUSE_CODECS: 'vp9' })[0]).toMatch(
		'PLAYHOUSE_CODECS: must be hevc, av1',
	)
	expect(problemsOf({ ...required, PLAYHOUSE_ALLOW_UNSANDBOXED: 'yes' })).toEqual([
		'PLAYHOUSE_ALLOW_UNSANDBOXED: must be true or false',
	])
	expect(problemsOf({ ...required, PLAYHOUSE_SLOTS: 'many' })[0]).toBe(
		'PLAYHOUSE_SLOTS: must be a whole number',
	)
})

test('the help text of the daemon names every variable', () => {
	for (const name of [
		...Object.keys(required),
		'PLAYHOUSE_NAME',
		'PLAYHOUSE_DATA_DIR',
		'PLAYHOUSE_SLOTS',
		'PLAYHOUSE_CODECS',
		'PLAYHOUSE_ALLOW_UNSANDBOXED',
		'FFMPEG_PATH',
	])
		expect(usage).toContain(name)
})
