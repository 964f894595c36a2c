import { sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { TaskSpec } from '#schema/contract/tasks.ts'
import { eventPayload } from '../assets/assets.ts'
import { type Made, markExtended, markReady } from '../assets/moves.ts'
import { forgetPlayable } from '../assets/playable.ts'
import type { AssetRow } from '../assets/store.ts'
import type { Deps } from '../platform/deps.ts'
import { recordEventIfChanged, relayEvents } from '../platform/outbox.ts'
import { handOverPurges } from '../platform/storage-purge.ts'
import { failJob, leaveOut } from './failing.ts'
import { isPublishedBy, type JobRow, jobStore } from './job-store.ts'
import { abortUploads } from './large-output.ts'
import { newTask } from './new-task.ts'
import { folderOf, IMMUTABLE, jobFolders, placeOf } from './places.ts'
import type { Plan } from './plan.ts'
import { type Presentation, STORYBOARD_NAME, type TaskOutput, writePresentation } from './presentation.ts'
import { isForPlayback, rankIn, tiers } from './ranks.ts'
import { storedObjects } from './result-problem.ts'
import { UnfitOutputsError } from './rung-streams.ts'
import { type TaskRow, taskStore } from './task-store.ts'
import { wakeFleet } from './wake.ts'
import type { Asked } from './wish.ts'

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'
/** With early playback a playlist may be written anew with the rungs that came to it. */
const GROWS = 'public, max-age=10'
const PUTS_AT_ONCE = 6
const UNFIT_CODEC = 'What was made of it does not fit to the rest of the video.'
const UNFIT =
	'What was made of the video does not fit together. Process it again, or ask who runs this service.'

/** Makes playable what is there, as far as it was asked for. Nothing of it shows before the batch at the end. */
export async function publishJob(
	deps: Deps,
	job: JobRow,
	asset: AssetRow,
	rows: readonly TaskRow[],
): Promise<void> {
	const open = rows.filter(
		({ kind, state }) => kind !== 'download' && (state === 'queued' || state === 'running'),
	)
	const stage = { isWhole: !open.some(isForPlayback), isEnd: open.length === 0 }
	if (!stage.isWhole && job.playback !== 'early') return
	const presentation = present(deps, job, rows)
	if (stage.isWhole && !presentation?.isWhole) {
		await failJob(deps, { task: null, job, asset }, { message: UNFIT, note: null })
		return
	}
	if (!presentation) return
	for (const { codec, problem } of presentation.unfit) {
		deps.log.error('outputs do not fit together', new Error(problem), { jobId: job.id, codec })
		await leaveOut(deps, job.id, codec, UNFIT_CODEC)
	}
	const { media } = jobFolders(job.playbackId, job.assetId, job.id)
	// Each run has a name of its own for it: what an older run writes late is never what a newer one points at.
	const manifestKey = `${media}master-${job.version}.m3u8`
	await putFiles(deps, media, presentation, manifestKey, stage.isEnd)
	const hasStoryboard = presentation.files.some(({ name }) => name === STORYBOARD_NAME)
	const made: Made = {
		durationSec: (job.plan as Plan).durationSec,
		manifestKey,
		...stillsOf(job, rows),
		storyboardKey: hasStoryboard ? media + STORYBOARD_NAME : null,
		...soundOf(job, rows),
		downloadKey: null,
		mediaBytes: bytesOf(rows, presentation),
	}
	await show(deps, job, asset, made, presentation, stage)
}

function present(deps: Deps, job: JobRow, rows: readonly TaskRow[]): Presentation | null {
	const outputs: TaskOutput[] = rows.flatMap((row) =>
		row.state === 'done' && row.result
			? [{ folder: folderOf(row), index: row.position, result: row.result }]
			: [],
	)
	try {
		return writePresentation(job.plan as Plan, outputs)
	} catch (error) {
		if (!(error instanceof UnfitOutputsError)) throw error
		deps.log.error('outputs do not fit together', error, { jobId: job.id })
		return null
	}
}

/** Made by one task, together; nothing for sound alone, and with early playback until they are there. */
function stillsOf(job: JobRow, rows: readonly TaskRow[]): Pick<Made, 'frameKey' | 'previewKey'> {
	const row = rows.find(({ kind, state }) => kind === 'stills' && state === 'done')
	if (row?.result?.kind !== 'stills') return { frameKey: null, previewKey: null }
	const { poster, preview } = row.result
	return {
		frameKey: placeOf(row, job.playbackId, poster.name).key,
		previewKey: placeOf(row, job.playbackId, preview.name).key,
	}
}

/** The files of sound, and what they sound like; nothing for a silent video. */
function soundOf(
	job: JobRow,
	rows: readonly TaskRow[],
): Pick<Made, 'audioTrack' | 'audioKey' | 'aiAudioKey'> {
	const keyOf = (file: 'playback' | 'ai') => {
		const [key = null] = rows.flatMap((row) => {
			const stored = row.state === 'done' && row.result?.kind === 'audio' ? row.result[file] : null
			return stored ? [placeOf(row, job.playbackId, stored.name).key] : []
		})
		return key
	}
	const audioKey = keyOf('playback')
	const { codec, bitrateKbps, sampleRate, channels } = (job.wish as Asked).playback
	return {
		audioTrack: audioKey === null ? null : { codec, bitrateKbps: bitrateKbps ?? 0, sampleRate, channels },
		audioKey,
		aiAudioKey: keyOf('ai'),
	}
}

/** What the organization keeps from now on, without its source, and without files to download. */
function bytesOf(rows: readonly TaskRow[], { files }: Presentation): number {
	const objects = rows.flatMap(({ kind, state, spec, result }) =>
		state === 'done' && result && kind !== 'download' ? storedObjects(spec as TaskSpec, result) : [],
	)
	const texts = files.reduce((sum, { text }) => sum + text.length, 0)
	return objects.reduce((sum, { bytes }) => sum + bytes, texts)
}

async function putFiles(
	{ objects }: Deps,
	folder: string,
	{ files, master }: Presentation,
	manifestKey: string,
	isFinal: boolean,
): Promise<void> {
	const cacheControl = isFinal ? IMMUTABLE : GROWS
	const put = ({ name, contentType, text }: Presentation['files'][number]) =>
		objects.media.put(`${folder}${name}`, text, { contentType, cacheControl })
	const others = files.filter(({ name }) => name !== master)
	for (let i = 0; i < others.length; i += PUTS_AT_ONCE)
		await Promise.all(others.slice(i, i + PUTS_AT_ONCE).map(put))
	const text = files.find(({ name }) => name === master)?.text
	if (text === undefined) throw new Error('a presentation without its master playlist')
	await objects.media.put(manifestKey, text, { contentType: PLAYLIST_TYPE, cacheControl: IMMUTABLE })
}

/** Whether all is there that playing needs; and whether nothing is left to do. */
type Stage = { isWhole: boolean; isEnd: boolean }

async function show(
	deps: Deps,
	job: JobRow,
	asset: AssetRow,
	made: Made,
	{ renditions }: Presentation,
	stage: Stage,
): Promise<void> {
	const { db, now } = deps
	const jobs = jobStore(db)
	const isOurs = isPublishedBy(job)
	const shown = renditions.map(({ rungId: _, ...rendition }) => rendition)
	const payload = {
		...eventPayload(asset),
		jobId: job.id,
		durationSec: made.durationSec ?? 0,
		renditions: sql`json(${JSON.stringify(shown)})`,
	}
	const [published, dropped] = await db.batch([
		jobs.publish(job, stage.isEnd, now),
		jobs.dropEarlierTasks(job, stage.isWhole ? isOurs : sql`0`),
		markReady(db, asset, made, now, isOurs),
		recordEventIfChanged(db, now, { type: 'asset.ready', orgId: job.orgId, payload }),
		// One that was ready before, which makes no second event.
		markExtended(db, asset, made, jobs.downloadBytes(job.id), now, isOurs),
		...jobs.replaceRenditions(job, renditions, isOurs),
		...(stage.isWhole ? wholeStatements(deps, job, asset, renditions) : []),
		...(stage.isEnd ? endStatements(deps, job) : []),
	])
	if (published.length === 0) return
	await forgetPlayable(job.playbackId)
	deps.defer(relayEvents(deps))
	if (stage.isWhole) {
		deps.defer(abortUploads(deps, dropped))
		deps.defer(handOverPurges(deps))
		deps.defer(wakeFleet(deps))
	}
	if (stage.isEnd)
		deps.log.info('job completed', { jobId: job.id, assetId: job.assetId, durationSec: made.durationSec })
}

/** Again each time that more of it can be played: what is there already stays. */
function wholeStatements(
	{ db, now }: Deps,
	job: JobRow,
	asset: AssetRow,
	renditions: Presentation['renditions'],
): BatchItem<'sqlite'>[] {
	const isOurs = isPublishedBy(job)
	const { fps, durationSec } = job.plan as Plan
	// Whoever opens a file expects what every program knows.
	const h264 = renditions.filter(({ codec }) => codec === 'h264')
	const downloads = h264.map(({ rungId }, index) => {
		// Of what it is made is looked up when it is taken.
		const spec: TaskSpec = {
			kind: 'download',
			rung: rungId,
			fps: fps ?? { num: 1, den: 1 },
			video: [],
			audio: [],
		}
		return newTask(asset, { spec, index, rank: rankIn(tiers.downloads, index) }, durationSec, now)
	})
	return [...taskStore(db).insert(job, downloads, now, isOurs), ...jobStore(db).dropEarlier(job, now, isOurs)]
}

function endStatements({ db, now }: Deps, job: JobRow): BatchItem<'sqlite'>[] {
	const isOurs = isPublishedBy(job)
	const { durationSec } = job.plan as Plan
	return [
		jobStore(db).countEncoded(job.orgId, durationSec, now, isOurs),
		jobStore(db).purgeDead(job.id, now, isOurs),
		jobStore(db).purgeOtherMasters(job.id, now, isOurs),
	]
}
