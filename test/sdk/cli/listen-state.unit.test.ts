import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSecret } from '../../../sdk/cli/commands/events/listen-state.ts'

async function makeFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-secret-'))
	onTestFinished(() => rm(folder, { recursive: true }))
	return folder
}

test('concurrent first reads of a signing secret return the same secret and leave one file', async () => {
	const folder = await makeFolder()
	const path = join(folder, 'secret.json')
	const [secret, ...others] = await Promise.all(Array.from({ length: 8 }, () => readSecret(path)))
	expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
	expect(others).toEqual(Array.from({ length: 7 }, () => secret))
	expect(await readSecret(path)).toBe(secret)
	expect(await readdir(folder)).toEqual(['secret.json'])
})

test.each(['{}', '{"secret":""}'])('the file %s is refused as one without a signing secret', async (text) => {
	const path = join(await makeFolder(), 'secret.json')
	await writeFile(path, text, { mode: 0o600 })
	await expect(readSecret(path)).rejects.toThrow(
		`${path} has no signing secret; remove the file to create a new secret`,
	)
})
