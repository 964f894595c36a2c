import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { link, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../files/folders.ts'
import { readPrivateJson, writePrivateFile } from '../../files/private-file.ts'
import { CommandFailure } from '../../frame/failure.ts'

/** Returns the path of a file that depends on the given texts. */
export function listenPath(env: NodeJS.ProcessEnv, kind: string, ...texts: readonly string[]): string {
	const name = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 32)
	return join(stateFolder(env), 'listen', `${name}-${kind}.json`)
}

/** Returns the signing secret for an organization, which is created once. */
export async function readSecret(path: string): Promise<string> {
	const stored = await readStored(path)
	if (stored) return stored
	const own = `${path}.${randomUUID()}`
	await writePrivateFile(own, JSON.stringify({ secret: `whsec_${randomBytes(32).toString('base64')}` }))
	try {
		// Two processes that start together must not sign with different secrets. A link never replaces a file.
		await link(own, path)
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
	} finally {
		await rm(own, { force: true })
	}
	const created = await readStored(path)
	if (!created) throw noSecretFailure(path)
	return created
}

async function readStored(path: string): Promise<string | undefined> {
	const stored = (await readPrivateJson(path)) as { secret?: unknown } | undefined
	if (stored === undefined || typeof stored?.secret === 'string') return stored?.secret as string | undefined
	throw noSecretFailure(path)
}

const noSecretFailure = (path: string) =>
	new CommandFailure(`${path} has no signing secret; remove the file to create a new secret`)

/** Returns the sequence of the last event that was forwarded. */
export async function readCheckpoint(path: string): Promise<number | undefined> {
	const stored = (await readPrivateJson(path)) as { sequence?: unknown } | undefined
	if (stored === undefined || typeof stored?.sequence === 'number')
		return stored?.sequence as number | undefined
	throw new CommandFailure(`${path} has no sequence; remove the file, and name the start with --from`)
}

export const writeCheckpoint = (path: string, sequence: number): Promise<void> =>
	writePrivateFile(path, JSON.stringify({ sequence }))
