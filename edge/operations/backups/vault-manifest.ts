import type { Deps } from '../../platform/deps.ts'
import type { Secrets } from '../../platform/tokens/secrets.ts'
import { DamagedBackupError } from './format/chunk.ts'
import { type CheckedManifest, checkManifest } from './format/signed-manifest.ts'
import { manifestObjectKey } from './keys.ts'

type VaultManifest = CheckedManifest & { text: string; etag: string }

/**
 * Reads the manifest of a backup from the vault and checks it. Returns null if there is none. Throws `DamagedBackupError`
 * if it is not that of this backup.
 */
export async function readManifest(
	{ objects }: Pick<Deps, 'objects'>,
	secrets: Secrets | null,
	id: string,
): Promise<VaultManifest | null> {
	const found = await objects.vault.get(manifestObjectKey(id))
	if (found.state !== 'found') return null
	const text = await new Response(found.body).text()
	const checked = await checkManifest(secrets, text)
	if (checked.manifest.id !== id) throw new DamagedBackupError('the manifest belongs to another backup')
	return { ...checked, text, etag: found.object.etag }
}
