import type { TaskResult, TaskSpec } from '#schema/contract/tasks.ts'
import { AppError } from '../http/errors.ts'
import { HOUR, SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import type { ObjectHead } from '../platform/object-storage.ts'
import { StorageRefusal } from '../platform/storage-errors.ts'
import type { TaskRow } from './claim-store.ts'
import { largeOutput, type Place } from './places.ts'
import { type BegunUpload, taskStore } from './task-store.ts'

const URL_SECONDS = HOUR / SECOND

const placeFor = (task: TaskRow, playbackId: string): Place => {
	const place = largeOutput(task, task.spec as TaskSpec, playbackId)
	if (!place) throw new AppError('conflict', `a ${task.kind} task has no output in parts`)
	return place
}

/** Addresses for parts of an upload that is begun with the first of them. */
export async function presignParts(
	deps: Deps,
	task: TaskRow,
	playbackId: string,
	partNumbers: readonly number[],
): Promise<string[]> {
	const { bucket, key, contentType } = placeFor(task, playbackId)
	const uploadId =
		task.uploadKey === key && task.uploadId
			? task.uploadId
			: await begin(deps, task, { bucket, key, contentType })
	return Promise.all(
		partNumbers.map(async (partNumber) => {
			const part = { bucket, key, uploadId, partNumber, expiresSeconds: URL_SECONDS }
			return (await deps.objects.presignPart(part)).url
		}),
	)
}

async function begin(deps: Deps, task: TaskRow, { bucket, key, contentType }: Place): Promise<string> {
	const { uploadId } = await deps.objects[bucket].createMultipart(key, { contentType })
	if (await taskStore(deps.db).keepUpload(task, { key, uploadId })) return uploadId
	// Another request of the same machine was first, or the task is somebody else's.
	await deps.objects[bucket].abortMultipart(key, uploadId)
	const found = await taskStore(deps.db).find(task.id)
	if (found?.task.epoch !== task.epoch || found.task.uploadKey !== key || !found.task.uploadId)
		throw new AppError('conflict', 'the task is not yours any more')
	return found.task.uploadId
}

/** Puts the parts together. Also when that was done before, and only the answer was lost. */
export async function finishLarge(
	{ objects }: Deps,
	task: TaskRow,
	playbackId: string,
	parts: Extract<TaskResult, { kind: 'fetch' }>['parts'],
): Promise<ObjectHead> {
	const { bucket, key } = placeFor(task, playbackId)
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

/** What an earlier holder began is of no use to anyone. */
export async function abandonUpload(deps: Deps, task: TaskRow): Promise<void> {
	if (task.uploadId === null) return
	await abortUploads(deps, [task])
	await taskStore(deps.db).keepUpload(task, null)
}

/** Of both kinds of large outputs the vault is the place. */
export async function abortUploads(
	{ objects }: Pick<Deps, 'objects'>,
	begun: readonly BegunUpload[],
): Promise<void> {
	for (const { uploadKey, uploadId } of begun) {
		if (uploadKey === null || uploadId === null) continue
		await objects.vault.abortMultipart(uploadKey, uploadId).catch((error: unknown) => {
			if (!(error instanceof StorageRefusal && error.reason === 'no-such-upload')) throw error
		})
	}
}
