import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Variables } from '../../../edge/platform/env.ts'
import { keepSecrets } from '../../../scripts/start/secrets.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('creates secrets once', async () => {
	const dataDir = await temporaryDirectory()
	const first = await keepSecrets(dataDir)
	expect(Variables.parse(first)).toMatchObject(first)
	expect(await keepSecrets(dataDir)).toEqual(first)
	expect(await readdir(dataDir)).toEqual(['secrets.json'])
})

test('restores the permissions of the secrets file', async () => {
	const dataDir = await temporaryDirectory()
	const path = join(dataDir, 'secrets.json')
	await keepSecrets(dataDir)
	expect(await modeOf(path)).toBe(0o600)
	await chmod(path, 0o644)
	await keepSecrets(dataDir)
	expect(await modeOf(path)).toBe(0o600)
})

test('two concurrent first starts use the same secrets', async () => {
	const dataDir = await temporaryDirectory()
	const [one, other] = await Promise.all([keepSecrets(dataDir), keepSecrets(dataDir)])
	expect(one).toEqual(other)
})

test('reports a damaged file and never replaces it', async () => {
	const dataDir = await temporaryDirectory()
	const path = join(dataDir, 'secrets.json')
	await writeFile(path, '{"AUTH_SECRET": "half')
	await expect(keepSecrets(dataDir)).rejects.toThrow('is damaged')
	expect(await readFile(path, 'utf8')).toBe('{"AUTH_SECRET": "half')
})

test('keeps AUTH_SECRET_PREVIOUS while AUTH_SECRET is being replaced', async () => {
	const dataDir = await temporaryDirectory()
	const secrets = { AUTH_SECRET: 'new', AUTH_SECRET_PREVIOUS: 'old', FLEET_TOKEN: 'token' }
	await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(secrets))
	expect(await keepSecrets(dataDir)).toEqual(secrets)
})
