import { z } from 'zod'
import type { Bucket } from '../storage/bucket.ts'

/** The vault folder with data that a restored database lacks. */
export const REWIND_FOLDER = 'rewind/'
const KEY = `${REWIND_FOLDER}checkpoint.json`
const README_KEY = `${REWIND_FOLDER}README.txt`
const README = `Playhouse recognizes a restored database by these objects. Don't delete them.

checkpoint.json  the newest checkpoint of the database. A database that lacks it was restored.
revocations/     what was revoked lately, repeated after a restore.

If the database belongs here although requests fail with "another installation", delete checkpoint.json alone:
the database is then repaired as after a restore, and everyone signs in again.
`

/** The newest checkpoint as stored in the vault. */
const VaultCheckpoint = z.object({
	/** The nonce of checkpoint 0. */
	installationId: z.string(),
	number: z.int(),
	nonce: z.string(),
	/** The highest assigned ids, by table. */
	sequences: z.record(z.string(), z.int()),
	/** The highest rowid of the outbox: no organization has more public events. */
	events: z.int(),
	/** How far the audit log and the outbox were searched for revocations. */
	logged: z.object({ audit: z.int(), events: z.int() }),
})
export type VaultCheckpoint = z.infer<typeof VaultCheckpoint>
export type StoredCheckpoint = VaultCheckpoint & { etag: string }

/** Returns null if the vault has no checkpoint. */
export async function readVaultCheckpoint(vault: Bucket): Promise<StoredCheckpoint | null> {
	const found = await vault.get(KEY)
	if (found.state !== 'found') return null
	const checkpoint = VaultCheckpoint.parse(JSON.parse(await new Response(found.body).text()))
	return { ...checkpoint, etag: found.object.etag }
}

/** Replaces the checkpoint that was read. Returns false if another run has replaced it since. */
export async function writeVaultCheckpoint(
	vault: Bucket,
	checkpoint: VaultCheckpoint,
	replaced: StoredCheckpoint | null,
): Promise<boolean> {
	const put = await vault.put(KEY, JSON.stringify(VaultCheckpoint.parse(checkpoint)), {
		contentType: 'application/json',
		onlyIf: replaced ? { etag: replaced.etag } : 'absent',
	})
	// Written last, as a marker that there was a checkpoint.
	if (!replaced && put) await vault.put(README_KEY, README, { contentType: 'text/plain' })
	return put !== null
}

/** Whether the vault had a checkpoint before. */
export const hasHadVaultCheckpoint = async (vault: Bucket): Promise<boolean> =>
	(await vault.head(README_KEY)) !== null
