import type { MessageOf } from '#schema/contract/platform/messages.ts'
import { playbackIdIn } from '../../assets/storage-keys.ts'
import type { Deps } from '../../platform/deps.ts'
import { findSessions } from './session-stub.ts'
import { ROOT } from './shards.ts'

/**
 * Deletes the playback sessions of a deleted video together with its media. The purge is repeated later, which also
 * deletes what players reported while other locations still had the video in their caches.
 */
export async function deletePlaybackSessions(
	{ env }: Pick<Deps, 'env'>,
	{ bucket, prefix }: MessageOf<'storage.purge'>,
): Promise<void> {
	const playbackId = bucket === 'media' ? playbackIdIn(prefix) : null
	if (playbackId !== null) await findSessions(env, playbackId, ROOT)?.deleteAll()
}
