import { sql } from 'drizzle-orm'
import type { TaskResultByKind } from '#schema/contract/video/tasks.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { recordEventIfStatement } from '../../../platform/outbox/outbox.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { dropPlayable } from '../../assets/playable/playable.ts'
import { assetStore } from '../../assets/store.ts'
import { clipEnded } from '../jobs/clip-tasks.ts'
import { clipPlaylist } from '../presentation/clip-playlist.ts'
import { clipStore } from '../store/clip-store.ts'
import { clipsFolder } from '../store/output-folders.ts'
import { taskStore } from '../store/task-store.ts'
import type { FoundTask } from './leases.ts'
import { IMMUTABLE, outputFolder } from './output-location.ts'

/** Stores the playlist of a clip beside its file, and completes the task. Returns whether it was still leased. */
export async function acceptClip(
	deps: Deps,
	{ task, asset }: Pick<FoundTask, 'task' | 'asset'>,
	result: TaskResultByKind<'clip'>,
): Promise<boolean> {
	const { db, work, now, objects } = deps
	const store = clipStore(db)
	const clipFolder = outputFolder(task, asset.playbackId, 'media')
	const playlist = clipPlaylist(result)
	await objects.media.put(`${clipFolder}clip.m3u8`, playlist, {
		contentType: 'application/vnd.apple.mpegurl',
		cacheControl: IMMUTABLE,
	})
	const clipBytes = result.file.bytes + (result.poster?.bytes ?? 0) + playlist.length
	const isDone = sql`exists (select 1 from tasks as done where done.id = ${task.id} and done.epoch = ${task.epoch} and done.state = 'done')`
	const { taskFinished } = await batch(db, {
		taskFinished: taskStore(db).finishStatement(task.id, task.epoch, result, now),
		clipAdded: store.addClipIfChangedStatement(task.id, {
			clipFolder,
			clipBytes,
			hasPoster: result.poster !== null,
		}),
		bytesCounted: assetStore(db).addBytesStatement(asset, clipBytes, sql`changes() > 0`),
		unusedPurged: store.purgeUnusedStatement(task.id, clipFolder, now),
		earlierPurged: store.purgeEarlierStatement(
			clipsFolder(asset.playbackId),
			task.id,
			task.epoch,
			now,
			isDone,
		),
		eventRecorded: recordEventIfStatement(work, clipEnded(task), isDone),
	})
	await dropPlayable(asset.playbackId)
	deps.defer(queuePurges(deps))
	return taskFinished.length === 1
}
