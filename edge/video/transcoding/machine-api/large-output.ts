import type { TaskResult } from '#schema/contract/video/tasks.ts'
import { AppError } from '../../../http/errors.ts'
import { HOUR, SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { ObjectHead } from '../../../platform/storage/bucket.ts'
import { StorageRefusal } from '../../../platform/storage/storage-errors.ts'
import type { TaskRow } from '../store/task-row.ts'
import { type PendingUpload, taskStore } from '../store/task-store.ts'
import { findLargeOutput, type OutputLocation } from './output-location.ts'

const URL_SECONDS = HOUR / SECOND

const requireLargeOutput = (task: TaskRow, playbackId: string): OutputLocation => {
	const location = findLargeOutput(task, task.spec, playbackId)
	if (!location) throw new AppError('conflict', `a ${task.kind} task has no multipart output`)
	return location
}

/** Presigns URLs for parts. The first call starts the multipart upload. */
export async function presignParts(
	deps: Deps,
	task: TaskRow,
	playbackId: string,
	partNumbers: readonly number[],
): Promise<string[]> {
	const { bucket, key, contentType } = requireLargeOutput(task, playbackId)
	const uploadId =
		task.uploadKey === key && task.uploadId
			? task.uploadId
			: await beginUpload(deps, task, { bucket, key, contentType })
	return Promise.all(
		partNumbers.map(async (partNumber) => {
			const part = { bucket, key, uploadId, partNumber, expiresSeconds: URL_SECONDS }
			return (await deps.objects.presignPart(part)).url
		}),
	)
}

async function beginUpload(
	deps: Deps,
	task: TaskRow,
	{ bucket, key, contentType }: OutputLocation,
): Promise<string> {
	const { uploadId } = await deps.objects[bucket].createMultipart(key, { contentType })
	if (await taskStore(deps.db).storeUpload(task, { key, uploadId })) return uploadId
	// Another request of the same machine was first, or another machine has the task.
	await deps.objects[bucket].abortMultipart(key, uploadId)
	const found = await taskStore(deps.db).find(task.id)
	if (found?.task.epoch !== task.epoch || found.task.uploadKey !== key || !found.task.uploadId)
		throw new AppError('conflict', 'another machine has this task; stop working on it')
	return found.task.uploadId
}

/** Completes the multipart upload. May be repeated when only the response was lost. */
export async function completeLargeOutput(
	{ objects }: Deps,
	task: TaskRow,
	playbackId: string,
	parts: Extract<TaskResult, { kind: 'fetch' }>['parts'],
): Promise<ObjectHead> {
	const { bucket, key } = requireLargeOutput(task, playbackId)
	try {
		if (task.uploadId !== null && task.uploadKey === key)
			return await objects[bucket].completeMultipart(key, task.uploadId, parts)
	} catch (error) {
		if (!(error instanceof StorageRefusal)) throw error
		if (error.reason !== 'no-such-upload') throw new AppError('validation', `parts: ${error.message}`)
	}
	const object = await objects[bucket].head(key)
	if (!object) throw new AppError('validation', 'parts: nothing was uploaded')
	return object
}

/** Aborts the upload of an earlier lease. */
export async function abandonUpload(deps: Deps, task: TaskRow): Promise<void> {
	if (task.uploadId === null) return
	await abortUploads(deps, [task])
	await taskStore(deps.db).storeUpload(task, null)
}

/** Aborts multipart uploads. All large outputs are in the vault. */
export async function abortUploads(
	{ objects }: Pick<Deps, 'objects'>,
	uploads: readonly PendingUpload[],
): Promise<void> {
	for (const { uploadKey, uploadId } of uploads) {
		if (uploadKey === null || uploadId === null) continue
		await objects.vault.abortMultipart(uploadKey, uploadId).catch((error: unknown) => {
			if (!(error instanceof StorageRefusal && error.reason === 'no-such-upload')) throw error
		})
	}
}
