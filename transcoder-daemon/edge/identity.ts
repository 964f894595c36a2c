import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '../log.ts'
import { writeFileAtomic } from '../machine/atomic-file.ts'

const Identity = z.object({ fingerprint: z.uuid() })

/**
 * Returns the machine's fingerprint, creating it on the first start, so that the edge recognizes the machine after a
 * restart. Whoever has the fingerprint and the fleet token can impersonate this machine: only the owner may read the
 * file.
 */
export async function loadIdentity(dataDir: string, log: Log): Promise<string> {
	const path = join(dataDir, 'identity.json')
	const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return null
		throw error
	})
	const stored = text === null ? null : identityIn(text)
	if (stored) return stored.fingerprint
	if (text !== null) log.warn('the identity file is unreadable; this machine gets a new identity', { path })

	const identity: z.infer<typeof Identity> = { fingerprint: randomUUID() }
	await writeFileAtomic(path, `${JSON.stringify(identity)}\n`)
	return identity.fingerprint
}

function identityIn(text: string) {
	try {
		return Identity.parse(JSON.parse(text))
	} catch {
		return null
	}
}
