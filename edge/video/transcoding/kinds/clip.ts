import { sql } from 'drizzle-orm'
import { batch } from '../../../platform/database/batch.ts'
import { recordEventIfStatement } from '../../../platform/outbox/outbox.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { deleteCachedPlayable } from '../../assets/playable/playable.ts'
import { assetStore } from '../../assets/store.ts'
import { failTask } from '../jobs/failing.ts'
import { findOutputFolder, IMMUTABLE } from '../machine-api/output-location.ts'
import { writeClipPlaylist } from '../presentation/clip-playlist.ts'
import { clipStore } from '../store/clip-store.ts'
import { clipsFolder } from '../store/output-folders.ts'
import { hasFailed, hasFinished, taskStore } from '../store/task-store.ts'
import type { Kind } from './kind.ts'
import { presignReads } from './presign-reads.ts'
import { taskEndedEvent } from './task-ended-event.ts'

export const clip: Kind<'clip'> = {
	/** The stored specification has the keys of the segments. */
	async withUrls(deps, _task, spec, expiresSeconds) {
		const sign = presignReads(deps, 'media', expiresSeconds)
		return { ...spec, video: await sign(spec.video), audio: await sign(spec.audio) }
	},

	/** Stores the playlist of the clip beside its file first. */
	async accept(deps, { task, asset }, _spec, result) {
		const { db, work, now, objects } = deps
		const store = clipStore(db)
		const clipFolder = findOutputFolder(task, asset.playbackId, 'media')
		const playlist = writeClipPlaylist(result)
		await objects.media.put(`${clipFolder}clip.m3u8`, playlist, {
			contentType: 'application/vnd.apple.mpegurl',
			cacheControl: IMMUTABLE,
		})
		const clipBytes = result.file.bytes + (result.poster?.bytes ?? 0) + playlist.length
		const hasPoster = result.poster !== null
		const isDone = hasFinished(task)
		const folder = clipsFolder(asset.playbackId)
		const { taskFinished } = await batch(db, {
			taskFinished: taskStore(db).finishStatement(task.id, task.epoch, result, now),
			clipAdded: store.addClipIfChangedStatement(task.id, { clipFolder, clipBytes, hasPoster }),
			bytesCounted: assetStore(db).addBytesStatement(asset, clipBytes, sql`changes() > 0`),
			unusedPurged: store.purgeUnusedStatement(task.id, clipFolder, now),
			earlierPurged: store.purgeEarlierStatement(folder, task.id, task.epoch, now, isDone),
			eventRecorded: recordEventIfStatement(work, taskEndedEvent('asset.clip_ended', task), isDone),
		})
		await deleteCachedPlayable(asset.playbackId)
		deps.defer(queuePurges(deps))
		return { isDone: taskFinished.length === 1, isJobDue: false }
	},

	async fail(deps, failing) {
		const { db, work, now } = deps
		const { task, asset } = failing
		await failTask(deps, failing, {
			clipFailed: clipStore(db).failStatement(task.id, hasFailed(task)),
			clipPurged: clipStore(db).purgeFailedStatement(clipsFolder(asset.playbackId), task, now),
			eventRecorded: recordEventIfStatement(work, taskEndedEvent('asset.clip_ended', task), hasFailed(task)),
		})
		deps.defer(queuePurges(deps))
	},
}
