import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepIdentity } from '../../../transcoder-daemon/identity.ts'
import { holdDataDir } from '../../../transcoder-daemon/single.ts'
import { memoryLog } from './memory-log.ts'

let dir: string

beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('a machine keeps its fingerprint, in a file that only its owner reads', async () => {
	const { log } = memoryLog()
	const first = await keepIdentity(dir, log)
	expect(await keepIdentity(dir, log)).toBe(first)
	expect((await stat(join(dir, 'identity.json'))).mode & 0o777).toBe(0o600)
})

test('a file that is no identity is replaced, and the log says so', async () => {
	const { log, messages } = memoryLog()
	await writeFile(join(dir, 'identity.json'), '{"fingerprint":')
	const fingerprint = await keepIdentity(dir, log)
	expect(JSON.parse(await readFile(join(dir, 'identity.json'), 'utf8'))).toEqual({ fingerprint })
	expect(messages()).toEqual(['the identity file can not be read; this machine gets a new one'])
})

test('a data directory is made, for its owner only', async () => {
	const dataDir = join(dir, 'deep', 'state')
	await using _held = await holdDataDir(dataDir)
	expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
})

test('one daemon at a time uses a data directory', async () => {
	{
		await using _first = await holdDataDir(dir)
		await expect(holdDataDir(dir)).rejects.toThrow('another daemon already uses')
	}
	await using _second = await holdDataDir(dir)
})

test('a daemon that was killed leaves its data directory free', async () => {
	const program = new URL('../../../transcoder-daemon/single.ts', import.meta.url)
	const code = `const { holdDataDir } = await import(${JSON.stringify(program.href)})
		globalThis.held = await holdDataDir(${JSON.stringify(dir)}); process.stdout.write('held'); setInterval(() => {}, 1000)`
	const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	await once(child.stdout, 'data')
	await expect(holdDataDir(dir)).rejects.toThrow('another daemon')
	child.kill('SIGKILL')
	await once(child, 'exit')
	await using _held = await holdDataDir(dir)
})
