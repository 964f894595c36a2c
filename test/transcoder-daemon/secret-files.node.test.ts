import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from '../../scripts/lib/installation/settings.ts'
import { type ConfigError, readConfig } from '../../transcoder-daemon/config.ts'
import { temporaryDirectory } from '../support/node/temporary-directory.ts'

const token = 'a-token-of-enough-characters'
const edgeUrl = { PLAYHOUSE_EDGE_URL: 'https://edge.test' }

async function fileWith(text: string | Buffer): Promise<string> {
	const path = join(await temporaryDirectory(), 'secret')
	await writeFile(path, text)
	return path
}

test('the daemon reads its token from a file, without the line break at its end', async () => {
	for (const end of ['', '\n', '\r\n']) {
		const PLAYHOUSE_FLEET_TOKEN_FILE = await fileWith(`${token}${end}`)
		expect(readConfig({ ...edgeUrl, PLAYHOUSE_FLEET_TOKEN_FILE }).fleetToken).toBe(token)
	}
})

test('npm start reads every variable of the Worker from a file, and hides the path from its programs', async () => {
	const DATA_DIR = await temporaryDirectory()
	const AUTH_SECRET_FILE = await fileWith(`${'s'.repeat(40)}\n`)
	const settings = await readSettings([], { DATA_DIR, AUTH_SECRET_FILE })
	if (settings === 'help') throw new Error('there was no --help')
	expect(settings.variables.AUTH_SECRET).toBe('s'.repeat(40))
	expect(settings.env).not.toHaveProperty('AUTH_SECRET_FILE')
})

test('the path of a secret file may be in DATA_DIR/.env, and the value is validated', async () => {
	const DATA_DIR = await temporaryDirectory()
	await writeFile(join(DATA_DIR, '.env'), `AUTH_SECRET_FILE=${await fileWith('short')}\n`)
	await expect(readSettings([], { DATA_DIR })).rejects.toThrow('AUTH_SECRET: needs at least 32 characters')
})

test('a secret file is rejected if missing, empty, a folder or too large, or if the value is set twice', async () => {
	const folder = await temporaryDirectory()
	const problemOf = (file: string, more = {}) => {
		try {
			readConfig({ ...edgeUrl, PLAYHOUSE_FLEET_TOKEN_FILE: file, ...more })
			return ''
		} catch (error) {
			return (error as ConfigError).message
		}
	}
	expect(problemOf(join(folder, 'none'))).toMatch(
		/^PLAYHOUSE_FLEET_TOKEN_FILE: .*none can't be read \(ENOENT\)$/,
	)
	expect(problemOf(folder)).toContain("can't be read (EISDIR)")
	expect(problemOf(await fileWith('\n'))).toContain('is empty')
	expect(problemOf(await fileWith(Buffer.alloc(64 * 1024 + 1, 'x')))).toContain('is too large')
	expect(problemOf('/dev/zero')).toContain('is too large')
	expect(problemOf(await fileWith(token), { PLAYHOUSE_FLEET_TOKEN: token })).toContain('is set as well')
})

test('the value of an invalid secret file is not printed', async () => {
	const PLAYHOUSE_FLEET_TOKEN_FILE = await fileWith('too-short')
	expect(() => readConfig({ ...edgeUrl, PLAYHOUSE_FLEET_TOKEN_FILE })).toThrow(/^(?!.*too-short)/)
})
