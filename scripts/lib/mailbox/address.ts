import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const fileIn = (dataDir: string): string => join(dataDir, 'mailbox-secret')

/**
 * Returns the secret in the mailbox URL, creating it on the first start. A proxy without headers looks like a local
 * browser, so the URL must be unguessable. The caller has locked DATA_DIR.
 */
export async function loadMailboxSecret(dataDir: string): Promise<string> {
	const stored = await readMailboxSecret(dataDir)
	if (stored) return stored
	const secret = randomBytes(24).toString('base64url')
	await writeFile(fileIn(dataDir), `${secret}\n`, { mode: 0o600 })
	return secret
}

/** Returns undefined if the installation of this data directory never had a mailbox. */
export async function readMailboxSecret(dataDir: string): Promise<string | undefined> {
	const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
	return /^[\w-]{32}$/.exec(text.trim())?.[0]
}

export const buildMailboxPath = (secret: string): string => `/_dev/mail/${secret}`

const hash = (text: string) => createHash('sha256').update(text).digest()

/** Compares in constant time. */
export const isSecret = (given: string, secret: string): boolean => timingSafeEqual(hash(given), hash(secret))
