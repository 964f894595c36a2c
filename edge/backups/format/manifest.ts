import { z } from 'zod'
import { base64url, fromBase64url } from '../../platform/tokens/digest.ts'
import type { Secrets } from '../../platform/tokens/secrets.ts'
import { type BackupKeys, DamagedBackupError, keysOf } from './chunk.ts'

export const BackupReason = z.enum(['daily', 'requested', 'migration'])
export type BackupReason = z.infer<typeof BackupReason>

/** Everything that a restore needs besides the chunks. It is stored last: a backup without a manifest does not exist. */
export const Manifest = z.object({
	format: z.literal(1),
	id: z.string().regex(/^bkp_[0-9a-z]{26}$/),
	reason: BackupReason,
	startedAt: z.int(),
	/** The instant whose state the backup holds. */
	snapshotAt: z.int(),
	/** Identifies the schema, so that backups before and after a migration can be told apart. */
	schemaHash: z.string(),
	/** The statements that create every table and index as they were. */
	schema: z.array(z.string()),
	tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
	/** The highest id that each table with AUTOINCREMENT has assigned. */
	sequences: z.record(z.string(), z.int()),
	/** In the order in which they are applied: a later row replaces an earlier one. */
	chunks: z.array(
		z.object({ key: z.string(), sha256: z.string(), textSha256: z.string(), sizeBytes: z.int() }),
	),
})
export type Manifest = z.infer<typeof Manifest>

/** The manifest as it is stored. */
export const StoredManifest = z.object({
	manifest: z.unknown(),
	/** HMAC-SHA256 of the manifest under a key derived from the data key. */
	mac: z.string(),
	/** The data key, sealed under AUTH_SECRET. */
	sealedKey: z.string(),
})
export type StoredManifest = z.infer<typeof StoredManifest>

/** How the data key of a backup is sealed; the context is the id of the backup. */
export const BACKUP_KEY = 'backup-key'

const encoder = new TextEncoder()
const hmacText = (manifest: unknown) => encoder.encode(JSON.stringify(manifest))

export async function signManifest(
	keys: BackupKeys,
	manifest: Manifest,
	sealedKey: string,
): Promise<StoredManifest> {
	const mac = base64url(await crypto.subtle.sign('HMAC', keys.manifest, hmacText(manifest)))
	return { manifest, mac, sealedKey }
}

/** Opens the data key and checks the manifest. Throws `DamagedBackupError` if either fails. */
export async function openManifest(
	secrets: Secrets,
	text: string,
): Promise<{ manifest: Manifest; keys: BackupKeys; sealedKey: string }> {
	const stored = StoredManifest.safeParse(jsonOf(text)).data
	const id = (stored?.manifest as { id?: unknown } | undefined)?.id
	if (!stored || typeof id !== 'string') throw new DamagedBackupError('the manifest is not readable')
	const dataKey = await secrets.unseal(BACKUP_KEY, stored.sealedKey, id)
	if (dataKey === null)
		throw new DamagedBackupError(
			'the manifest was sealed under another AUTH_SECRET; set the value of that time as AUTH_SECRET_PREVIOUS',
		)
	const keys = await keysOf(dataKey)
	const isOurs = await crypto.subtle.verify(
		'HMAC',
		keys.manifest,
		fromBase64url(stored.mac),
		hmacText(stored.manifest),
	)
	if (!isOurs) throw new DamagedBackupError('the manifest was changed')
	return { manifest: Manifest.parse(stored.manifest), keys, sealedKey: stored.sealedKey }
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return null
	}
}
