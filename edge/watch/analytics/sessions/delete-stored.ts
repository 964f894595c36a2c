import { askShards } from './shards/ask-shards.ts'
import { isRoot, type Shard } from './shards/shards.ts'

type Video = { playbackId: string; orgId: string }
type Deleted = Video & { shards: Shard[] }

type OtherObjects = {
	deleteShard(playbackId: string, shard: Shard): Promise<void>
	/** Deletes the video's data from the object of the organization. */
	deleteVideo(video: Video): Promise<void>
}

/**
 * Deletes the data of an object, and that of other objects about its video. Late reports of players recreate them, so the
 * root of a split video remembers its shards until the second call.
 */
export async function deleteStored(
	storage: DurableObjectStorage,
	known: { of: (Video & { shard: Shard }) | undefined; shards: readonly Shard[] },
	others: OtherObjects,
): Promise<void> {
	const former = storage.kv.get<Deleted>('deleted')
	const video = former ?? known.of
	const shards = [...(former?.shards ?? []), ...known.shards]
	if (video) {
		await askShards(shards, (shard) => others.deleteShard(video.playbackId, shard))
		if (former || (known.of && isRoot(known.of.shard))) await others.deleteVideo(video)
	}
	await storage.deleteAlarm()
	await storage.deleteAll()
	if (!former && video && shards.length > 0)
		storage.kv.put('deleted', { playbackId: video.playbackId, orgId: video.orgId, shards } satisfies Deleted)
}
