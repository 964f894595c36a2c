import { DAY } from '../../../../platform/clock.ts'
import type { Deps } from '../../../../platform/deps.ts'
import type { BucketName } from '../../../../platform/storage/bucket.ts'
import { adoptBackups } from '../../keep/delete.ts'
import { CHUNKS, manifestObjectKey } from '../../keys.ts'
import type { StepPart } from '../step-part.ts'
import { type Owner, orphanStore } from './orphan-store.ts'

/** Until then, the newer database can be put back, and finds its files. */
const KEPT_MS = 7 * DAY
const FOLDERS_AT_ONCE = 500

/** The folders that have one subfolder for each asset or backup. */
const folders: readonly { bucket: BucketName; folder: string; owner: Owner }[] = [
	{ bucket: 'vault', folder: 'sources/', owner: 'asset id' },
	{ bucket: 'vault', folder: 'downloads/', owner: 'asset id' },
	{ bucket: 'media', folder: 'media/', owner: 'playback id' },
	{ bucket: 'vault', folder: CHUNKS, owner: 'backup id' },
]

/**
 * Lists the backups that the database lacks. Schedules the deletion of files whose asset was created after the backup, and of
 * chunks without a manifest. Ids are random, so none is used again.
 */
export const sweepStorage: StepPart = async (deps, { id }, cursor) => {
	if (cursor === null) await adoptBackups(deps)
	// Without a checkpoint, the files may belong to another installation.
	if (id.startsWith('lost-')) return { cursor: null, changed: 0 }
	const [index = '0', after = ''] = cursor?.split(' ') ?? []
	const place = folders[Number(index)]
	if (!place) return { cursor: null, changed: 0 }
	const page = await listSubfolders(deps, place.bucket, place.folder, after)
	const dueAt = deps.now + KEPT_MS
	const names = place.owner === 'backup id' ? await withoutManifest(deps, page.names) : page.names
	const changed = await orphanStore(deps.db).schedulePurges(place, names, dueAt)
	const isLast = page.cursor === null && Number(index) === folders.length - 1
	const next = page.cursor === null ? `${Number(index) + 1} ` : `${index} ${page.cursor}`
	return { cursor: isLast ? null : next, changed }
}

/**
 * The list lacks backups whose manifest can't be read now, such as one of another AUTH_SECRET. They may still be
 * restored.
 */
async function withoutManifest({ objects }: Deps, backupIds: readonly string[]): Promise<string[]> {
	const lacking: string[] = []
	for (const id of backupIds) if (!(await objects.vault.head(manifestObjectKey(id)))) lacking.push(id)
	return lacking
}

async function listSubfolders({ env }: Deps, bucket: BucketName, folder: string, cursor: string) {
	const r2 = bucket === 'vault' ? env.bindings.VAULT : env.bindings.MEDIA
	const found = await r2.list({
		prefix: folder,
		delimiter: '/',
		limit: FOLDERS_AT_ONCE,
		...(cursor && { cursor }),
	})
	return {
		names: found.delimitedPrefixes.map((prefix) => prefix.slice(folder.length, -1)),
		cursor: found.truncated ? found.cursor : null,
	}
}
