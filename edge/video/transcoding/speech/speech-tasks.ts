import type { SQL } from 'drizzle-orm'
import type { AudioInfo } from '#schema/contract/video/media-info.ts'
import type { SpeechChunk } from '#schema/contract/video/tasks.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { AssetRow } from '../../assets/store.ts'
import { newTask } from '../jobs/new-task.ts'
import { findOutputLocation } from '../machine-api/output-location.ts'
import { nameTracks, planTrack, selectAudio } from '../plan/audio-tracks.ts'
import { SPEECH_RANK } from '../plan/ranks.ts'
import { speechStore } from '../store/speech-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'

/** The length of a task: every engine accepts it, and losing it is cheap. */
export const CHUNK_SEC = { min: 450, max: 600 }
/**
 * The Worker holds a whole chunk in memory, sometimes base64-encoded, and waits at most five minutes for its text.
 */
export const PROVIDER_CHUNK_SEC = { min: 225, max: 300 }
type ChunkSec = typeof CHUNK_SEC

/** The engine of a machine, or the provider, chosen for a video; and the lane of its tasks. */
export type ChosenEngine = { engine: string; lane: string; language: string | null }

/** Returns the track that players play first, with its language; null without sound. */
export function chooseSpokenTrack(audio: readonly AudioInfo[]) {
	const kept = selectAudio(audio)
	const names = nameTracks(kept)
	const index = names.findIndex(({ isDefault }) => isDefault)
	const source = kept[index]
	if (!source) return null
	return { track: planTrack(source, index, null), language: names[index]?.language ?? null }
}

export type PublishedJob = NonNullable<Awaited<ReturnType<typeof findPublishedJob>>>

/** Returns the job whose files an asset plays. Its AI tasks belong to that job. */
export const findPublishedJob = ({ db }: Pick<Deps, 'db'>, assetId: string) =>
	speechStore(db).findPublishedJob(assetId)

/** Lists the tasks of an asset's latest recognition, without the texts of chunks. */
export const listSpeechTasks = ({ db }: Pick<Deps, 'db'>, assetId: string): Promise<TaskRow[]> =>
	speechStore(db).list(assetId)

/** Lists the recognized texts of an asset's chunks. */
export const listChunkTexts = ({ db }: Pick<Deps, 'db'>, assetId: string) =>
	speechStore(db).listTexts(assetId)

/** Deletes an asset's recognition tasks with their outputs. */
export const dropSpeechStatements = (
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	assetId: string,
	condition: SQL,
) => speechStore(db).dropStatements(assetId, now, condition)

type Job = Pick<PublishedJob, 'id' | 'assetId' | 'orgId' | 'playbackId' | 'audio'>

/** Restarts recognition: deletes earlier tasks of the asset with their chunks. */
export function planSpeechStatements(
	{ db, now }: Deps,
	{ job, asset, chunkSec }: { job: Job; asset: AssetRow; chunkSec: ChunkSec },
	condition: SQL,
) {
	const spoken = chooseSpokenTrack(job.audio)
	if (!spoken || asset.durationSec === null) throw new Error('speech needs sound')
	const { durationSec } = asset
	const spec = {
		kind: 'speech-plan' as const,
		track: { ...spoken.track, isCopied: false },
		durationSec,
		chunkSec,
	}
	const task = newTask(asset, { spec, index: 0, rank: SPEECH_RANK }, durationSec, now)
	return [
		...speechStore(db).dropStatements(asset.id, now, condition),
		...taskStore(db).insertStatements(job, [task], now, condition),
	]
}

/** Inserts a task for each chunk. Existing tasks stay. */
export function transcribeStatements(
	{ db, now }: Deps,
	{
		plan,
		chunks,
		asset,
		chosen,
	}: {
		plan: TaskRow
		chunks: readonly SpeechChunk[]
		asset: AssetRow
		chosen: ChosenEngine
	},
	condition: SQL,
) {
	const { engine, lane, language } = chosen
	const tasks = chunks.map(({ file, fromMs, toMs }, index) => {
		const durationSec = (toMs - fromMs) / 1_000
		const audio = findOutputLocation(plan, asset.playbackId, file.name).key
		const spec = { kind: 'transcribe' as const, engine, language, durationSec, audio }
		const rank = SPEECH_RANK + 1 + index
		return newTask(asset, { spec, index, rank }, durationSec, now, lane)
	})
	const job = { id: plan.jobId, assetId: plan.assetId, orgId: plan.orgId }
	return taskStore(db).insertStatements(job, tasks, now, condition)
}
