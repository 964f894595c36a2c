import type { SQL } from 'drizzle-orm'
import { MAX_CLIP_SEC, type Rung, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { AssetRow } from '../../assets/store.ts'
import { software } from '../plan/encoders.ts'
import { measureShorterSide } from '../plan/frame-size.ts'
import { planRung } from '../plan/ladder.ts'
import { CLIP_RANK } from '../plan/ranks.ts'
import { type ClipSource, chooseClipInputs, MILLISECONDS } from '../presentation/clip-inputs.ts'
import { playlistName } from '../presentation/layout.ts'
import { type PublishedStream, readMediaPlaylist } from '../presentation/read-playlist.ts'
import { clipStore } from '../store/clip-store.ts'
import type { PlannedJob } from '../store/job-store.ts'
import { listJobFolders } from '../store/output-folders.ts'
import type { NewTask } from '../store/task-store.ts'
import { newTask } from './new-task.ts'

/** Clips are shared and watched on phones. */
const CLIP_LINES = 720

type Part = { startMs: number; endMs: number }

/** Reads the published playlists that clips are made from. Returns null while one of them is missing. */
export async function readClipSource(
	{ objects }: Pick<Deps, 'objects'>,
	{ id, playbackId, assetId, plan }: PlannedJob,
): Promise<ClipSource | null> {
	const { media } = listJobFolders(playbackId, assetId, id)
	const read = async (stream: string): Promise<PublishedStream | null> => {
		const answer = await objects.media.get(media + playlistName(stream))
		return answer.state === 'found' ? readMediaPlaylist(await new Response(answer.body).text(), media) : null
	}
	const rung = rungFor(plan)
	const track = plan.audioTracks.find(({ isDefault }) => isDefault)
	const [video, audio] = await Promise.all([rung && read(rung.id), track ? read(track.id) : null])
	const isWhole = (rung !== null || track !== undefined) && (!rung || video) && (!track || audio)
	return isWhole ? { video, audio } : null
}

/** Returns the task for a part of a video, which reads the published segments; null if none contains the part. */
export function newClipTask(
	plan: JobPlan,
	source: ClipSource,
	asset: AssetRow,
	{ startMs, endMs, index }: Part & { index: number },
	now: number,
): NewTask | null {
	const rung = rungFor(plan)
	const fps = (rung && plan.fps) ?? MILLISECONDS
	const frameOf = (ms: number) => Math.round((ms * fps.num) / fps.den / 1_000)
	const firstFrame = frameOf(startMs)
	const planned = frameOf(Math.min(endMs, startMs + MAX_CLIP_SEC * 1_000)) - firstFrame
	// Published files stay, while the task rows are deleted some time after the job.
	const inputs = chooseClipInputs(source, { fps, firstFrame, frames: planned })
	if (inputs.frames < 1) return null
	const spec: TaskSpecByKind<'clip'> = { kind: 'clip', rung, fps, firstFrame, ...inputs }
	return newTask(asset, { spec, index, rank: CLIP_RANK + index }, plan.durationSec, now)
}

/** Chooses the best H.264 rung up to 720p, or the smallest one; null without video. */
function rungFor({ rungs, fps }: JobPlan): Rung | null {
	const h264 = rungs.filter(({ codec }) => codec === 'h264')
	const chosen = h264.find((rung) => measureShorterSide(rung) <= CLIP_LINES) ?? h264.at(-1)
	return chosen && fps ? { ...planRung(chosen, fps, 'h264', software.h264), id: chosen.id } : null
}

/** Deletes the clip tasks of an asset that wait for a machine, unless one of them is running. */
export const dropWaitingClipsStatement = ({ db }: Pick<Deps, 'db'>, assetId: string, condition: SQL) =>
	clipStore(db).dropWaitingStatement(assetId, condition)
