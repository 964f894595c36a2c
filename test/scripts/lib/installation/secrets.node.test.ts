import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Variables } from '../../../../edge/platform/env.ts'
import { loadSecrets } from '../../../../scripts/lib/installation/secrets.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('secrets of an installation are created once', async () => {
	const dataDir = await temporaryDirectory()
	const first = await loadSecrets(dataDir)
	expect(Variables.parse(first)).toMatchObject(first)
	expect(await loadSecrets(dataDir)).toEqual(first)
	expect(await readdir(dataDir)).toEqual(['secrets.json'])
})

test('the permissions of the secrets file are restored', async () => {
	const dataDir = await temporaryDirectory()
	const path = join(dataDir, 'secrets.json')
	await loadSecrets(dataDir)
	expect(await modeOf(path)).toBe(0o600)
	await chmod(path, 0o644)
	await loadSecrets(dataDir)
	expect(await modeOf(path)).toBe(0o600)
})

test('two concurrent first starts use the same secrets', async () => {
	const dataDir = await temporaryDirectory()
	const [one, other] = await Promise.all([loadSecrets(dataDir), loadSecrets(dataDir)])
	expect(one).toEqual(other)
})

test('a damaged secrets file is reported and never replaced', async () => {
	const dataDir = await temporaryDirectory()
	const path = join(dataDir, 'secrets.json')
	await writeFile(path, '{"AUTH_SECRET": "half')
	await expect(loadSecrets(dataDir)).rejects.toThrow('is damaged')
	expect(await readFile(path, 'utf8')).toBe('{"AUTH_SECRET": "half')
})

test('AUTH_SECRET_PREVIOUS is kept while AUTH_SECRET is being replaced', async () => {
	const dataDir = await temporaryDirectory()
	const secrets = { AUTH_SECRET: 'new', AUTH_SECRET_PREVIOUS: 'old', FLEET_TOKEN: 'token' }
	await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(secrets))
	expect(await loadSecrets(dataDir)).toEqual(secrets)
})
