import { fromBase64url, toBase64url } from '../../../platform/tokens/digest.ts'
import type { Secrets } from '../../../platform/tokens/secrets.ts'
import { type BackupKeys, DamagedBackupError, deriveBackupKeys } from './chunk.ts'
import { Manifest } from './manifest.ts'
import { decryptKey, encryptKey } from './recipient.ts'
import { parseStoredManifest, type RecipientManifest, type StoredManifest } from './stored-manifest.ts'

/** How the data key of a backup is sealed; the context is the id of the backup. */
export const BACKUP_KEY = 'backup-key'
const BACKUP_ORIGIN = 'backup-origin'

/** Thrown if none of the given keys opens a data key. */
export class BackupKeyError extends Error {
	override name = 'BackupKeyError'
}

export type CheckedManifest = {
	manifest: Manifest
	/** Null if only the recipient can read the backup, and no identity of the recipient was given. */
	keys: BackupKeys | null
	/** False if there was no AUTH_SECRET to check with that the backup is of this installation. */
	isOriginChecked: boolean
	stored: StoredManifest
}

const encoder = new TextEncoder()
const hmacText = (value: unknown) => encoder.encode(JSON.stringify(value))
const originText = ({ manifest, mac, recipient, encryptedKey }: Omit<RecipientManifest, 'originMac'>) =>
	JSON.stringify([manifest, mac, recipient, encryptedKey])

/** Signs a manifest and adds the data key: encrypted to the recipient if there is one, else sealed under AUTH_SECRET. */
export async function signManifest(
	secrets: Secrets,
	dataKey: string,
	manifest: Manifest,
	recipient: string | undefined,
): Promise<StoredManifest> {
	const { manifest: key } = await deriveBackupKeys(dataKey)
	const mac = toBase64url(await crypto.subtle.sign('HMAC', key, hmacText(manifest)))
	if (recipient === undefined)
		return { manifest, mac, sealedKey: await secrets.seal(BACKUP_KEY, dataKey, manifest.id) }
	const encrypted = { manifest, mac, recipient, encryptedKey: await encryptKey(dataKey, recipient) }
	return { ...encrypted, originMac: await secrets.hmac(BACKUP_ORIGIN, originText(encrypted)) }
}

/**
 * Checks that a manifest is one of this installation, unchanged. Every reader of a manifest calls this. Throws
 * `DamagedBackupError` if it is not, and `BackupKeyError` if the given keys can't show it.
 */
export async function checkManifest(
	secrets: Secrets | null,
	text: string,
	identities: readonly string[] = [],
): Promise<CheckedManifest> {
	const stored = parseStoredManifest(text)
	const id = (stored?.manifest as { id?: unknown } | undefined)?.id
	if (!stored || typeof id !== 'string') throw new DamagedBackupError('the manifest is not readable')
	const dataKey =
		'sealedKey' in stored
			? await unsealKey(secrets, stored.sealedKey, id)
			: identities.length > 0
				? await decryptKeyOf(stored, identities)
				: null
	const isOriginChecked = 'sealedKey' in stored || (secrets !== null && (await checkOrigin(secrets, stored)))
	const keys = dataKey === null ? null : await deriveBackupKeys(dataKey)
	const isUnchanged =
		!keys ||
		(await crypto.subtle.verify('HMAC', keys.manifest, macBytes(stored.mac), hmacText(stored.manifest)))
	if (!isUnchanged) throw new DamagedBackupError('the manifest was changed')
	if (!keys && !isOriginChecked) throw identityNeededError(stored)
	const { data: manifest, error } = Manifest.safeParse(stored.manifest)
	if (error) throw new DamagedBackupError(`the manifest is invalid: ${error.issues[0]?.message}`)
	return { manifest, keys, isOriginChecked, stored }
}

/** Checks a manifest and opens the keys of its backup. Throws `BackupKeyError` if none of the given keys opens them. */
export async function openManifest(
	secrets: Secrets | null,
	text: string,
	identities: readonly string[] = [],
): Promise<CheckedManifest & { keys: BackupKeys }> {
	const checked = await checkManifest(secrets, text, identities)
	const { keys, stored } = checked
	if (keys) return { ...checked, keys }
	throw identityNeededError(stored)
}

const identityNeededError = (stored: StoredManifest) =>
	new BackupKeyError(
		`this backup is encrypted to ${'recipient' in stored ? stored.recipient : 'a recipient'}; give the file with the identity of that recipient`,
	)

/** Seals the manifest under the current AUTH_SECRET. Returns null if that is already so. */
export async function resealManifest(
	secrets: Secrets,
	{ stored, manifest: { id } }: CheckedManifest,
): Promise<StoredManifest | null> {
	if ('sealedKey' in stored) {
		if (stored.sealedKey.startsWith(await secrets.sealPrefix())) return null
		const dataKey = await unsealKey(secrets, stored.sealedKey, id)
		return { ...stored, sealedKey: await secrets.seal(BACKUP_KEY, dataKey, id) }
	}
	const originMac = await secrets.hmac(BACKUP_ORIGIN, originText(stored))
	return originMac === stored.originMac ? null : { ...stored, originMac }
}

async function unsealKey(secrets: Secrets | null, sealedKey: string, id: string): Promise<string> {
	if (!secrets) throw new BackupKeyError('AUTH_SECRET is not set; set it to the value of the installation')
	const dataKey = await secrets.unseal(BACKUP_KEY, sealedKey, id)
	if (dataKey !== null) return dataKey
	throw new DamagedBackupError(
		'the manifest was sealed under another AUTH_SECRET; set the value of that time as AUTH_SECRET_PREVIOUS',
	)
}

async function decryptKeyOf(
	{ encryptedKey, recipient }: RecipientManifest,
	identities: readonly string[],
): Promise<string> {
	const dataKey = await decryptKey(encryptedKey, identities)
	if (dataKey !== null) return dataKey
	throw new BackupKeyError(`this backup is encrypted to ${recipient}, and this identity is another one`)
}

async function checkOrigin(secrets: Secrets, stored: RecipientManifest): Promise<true> {
	const text = encoder.encode(originText(stored))
	for (const { key } of await secrets.keys(BACKUP_ORIGIN))
		if (await crypto.subtle.verify('HMAC', key, macBytes(stored.originMac), text)) return true
	throw new DamagedBackupError(
		'the manifest was changed, or comes from an installation with another AUTH_SECRET; set the value of that time as AUTH_SECRET_PREVIOUS',
	)
}

function macBytes(mac: string): Uint8Array<ArrayBuffer> {
	try {
		return fromBase64url(mac)
	} catch {
		throw new DamagedBackupError('the manifest is not readable')
	}
}
