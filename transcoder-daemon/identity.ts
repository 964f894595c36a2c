import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from './log.ts'
import { writeWhole } from './whole-file.ts'

const Identity = z.object({ fingerprint: z.uuid() })

/**
 * The machine's fingerprint, made once and kept, so that the edge knows it again after a restart. Anyone who has it
 * and the fleet's token can take this machine's place: the file is for its owner only.
 */
export async function keepIdentity(dataDir: string, log: Log): Promise<string> {
	const path = join(dataDir, 'identity.json')
	const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return null
		throw error
	})
	const known = text === null ? null : identityIn(text)
	if (known) return known.fingerprint
	if (text !== null) log.warn('the identity file can not be read; this machine gets a new one', { path })

	const identity: z.infer<typeof Identity> = { fingerprint: randomUUID() }
	await writeWhole(path, `${JSON.stringify(identity)}\n`)
	return identity.fingerprint
}

function identityIn(text: string) {
	try {
		return Identity.parse(JSON.parse(text))
	} catch {
		return null
	}
}
