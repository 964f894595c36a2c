import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadIdentity } from '../../../transcoder-daemon/edge/identity.ts'
import { lockDataDir } from '../../../transcoder-daemon/machine/data-dir-lock.ts'
import { memoryLog } from '../memory-log.ts'

let dir: string

beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('the daemon keeps its fingerprint in a file that only its owner can read', async () => {
	const { log } = memoryLog()
	const first = await loadIdentity(dir, log)
	expect(await loadIdentity(dir, log)).toBe(first)
	expect((await stat(join(dir, 'identity.json'))).mode & 0o777).toBe(0o600)
})

test('the daemon replaces an invalid identity file and logs it', async () => {
	const { log, messages } = memoryLog()
	await writeFile(join(dir, 'identity.json'), '{"fingerprint":')
	const fingerprint = await loadIdentity(dir, log)
	expect(JSON.parse(await readFile(join(dir, 'identity.json'), 'utf8'))).toEqual({ fingerprint })
	expect(messages()).toEqual(['the identity file is unreadable; this machine gets a new identity'])
})

test('the daemon creates a data directory for its owner only', async () => {
	const dataDir = join(dir, 'deep', 'state')
	await using _held = await lockDataDir(dataDir)
	expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
})

test('a data directory admits only one daemon', async () => {
	{
		await using _first = await lockDataDir(dir)
		await expect(lockDataDir(dir)).rejects.toThrow('another daemon already uses')
	}
	await using _second = await lockDataDir(dir)
})

test('the data directory of a killed daemon is released', async () => {
	const program = new URL('../../../transcoder-daemon/machine/data-dir-lock.ts', import.meta.url)
	const code = `const { lockDataDir } = await import(${JSON.stringify(program.href)})
		globalThis.held = await lockDataDir(${JSON.stringify(dir)}); process.stdout.write('held'); setInterval(() => {}, 1000)`
	const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	await once(child.stdout, 'data')
	await expect(lockDataDir(dir)).rejects.toThrow('another daemon')
	child.kill('SIGKILL')
	await once(child, 'exit')
	await using _held = await lockDataDir(dir)
})
