import type { MessageByType } from '#schema/contract/messages.ts'
import { parseOrgId } from '../../accounts/orgs/storage.ts'
import type { Deps } from '../../platform/deps.ts'
import { parsePlaybackId } from '../../video/assets/storage-keys.ts'
import { findOrgAnalytics } from './org/org-stub.ts'
import { findSessions } from './sessions/session-stub.ts'
import { ROOT } from './sessions/shards/shards.ts'

/**
 * Deletes the viewer data of a deleted video with its media, and the sums of a deleted organization. A second purge later
 * also deletes reports that arrived while other locations still had the video in their caches.
 */
export async function deleteAnalytics(
	{ env, now }: Pick<Deps, 'env' | 'now'>,
	{ bucket, prefix }: MessageByType<'storage.purge'>,
): Promise<void> {
	const playbackId = bucket === 'media' ? parsePlaybackId(prefix) : null
	if (playbackId !== null) await findSessions(env, playbackId, ROOT)?.deleteAll(now)
	const orgId = bucket === 'vault' ? parseOrgId(prefix) : null
	if (orgId !== null) await findOrgAnalytics(env.bindings, orgId)?.deleteAll()
}
