import { readFile } from 'node:fs/promises'
import { identityToRecipient } from 'age-encryption'
import { deriveSecrets } from '../../../edge/platform/tokens/secrets.ts'
import type { Openers } from './backup-file.ts'

/**
 * Returns the keys that open backups: the secrets of the environment, unless any origin is accepted, and the identities
 * of a file.
 */
export async function readBackupKeys(
	{ AUTH_SECRET, AUTH_SECRET_PREVIOUS }: NodeJS.ProcessEnv,
	identityPath: string | undefined,
	isAnyOrigin = false,
): Promise<Openers> {
	return {
		secrets:
			AUTH_SECRET && !isAnyOrigin ? deriveSecrets(AUTH_SECRET, AUTH_SECRET_PREVIOUS || undefined) : null,
		identities: identityPath === undefined ? [] : await readIdentities(identityPath),
	}
}

/** Reads the identities of a file that age-keygen wrote. */
async function readIdentities(path: string): Promise<string[]> {
	const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
		throw new Error(`the identity file ${path} can't be read (${error.code})`)
	})
	if (/^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/.test(text))
		throw new Error(`the identity file ${path} is encrypted itself; decrypt it first with age --decrypt`)
	const lines = text.split(/\r?\n/).map((line) => line.trim())
	const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
	if (identities.length === 0) throw new Error(`the identity file ${path} has no identity`)
	for (const identity of identities) await requireIdentity(path, identity)
	return identities
}

async function requireIdentity(path: string, text: string): Promise<void> {
	if (text.startsWith('age1'))
		throw new Error(
			`the identity file ${path} contains a recipient; pass the file with its AGE-SECRET-KEY-1…`,
		)
	try {
		await identityToRecipient(text)
	} catch {
		// The line may be a key with a typo, so it is not printed.
		throw new Error(
			`the identity file ${path} has a line that is no age identity (AGE-SECRET-KEY-1…); remove it`,
		)
	}
}
