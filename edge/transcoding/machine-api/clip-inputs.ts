import { initName, segmentName, type TaskSpecOf } from '#schema/contract/video/tasks.ts'
import type { JobRow } from '../store/job-store.ts'
import { folderOf, jobFolders } from '../store/output-folders.ts'
import type { TaskRow } from '../store/task-row.ts'

/** Encoders of sound need some of it before the first sample. */
const SOUND_MARGIN_SEC = 0.1

type Stream = { initKey: string; segments: { key: string; units: number }[] }

/** Returns the media objects that contain the frames of a clip, each list beginning with its init segment. */
export function clipInputs(
	job: Pick<JobRow, 'id' | 'playbackId' | 'assetId' | 'plan'>,
	rows: readonly TaskRow[],
	{ rung, fps, firstFrame, frames }: TaskSpecOf<'clip'>,
): { video: string[]; audio: string[]; frames: number } {
	const { media } = jobFolders(job.playbackId, job.assetId, job.id)
	const done = rows.filter(({ state }) => state === 'done').toSorted((a, b) => a.position - b.position)
	const picture = rung && pictureOf(done, media, rung.id)
	const track = job.plan?.audioTracks.find(({ isDefault }) => isDefault)?.id
	const sound = track === undefined ? null : soundOf(done, media, track)
	const total = picture?.segments.reduce((sum, { units }) => sum + units, 0)
	const count = total === undefined ? frames : Math.min(frames, total - firstFrame)
	const secOf = (frame: number) => (frame * fps.den) / fps.num
	return {
		video: picture ? keysWithin(picture, firstFrame, firstFrame + count) : [],
		audio: sound
			? keysWithin(
					sound,
					(secOf(firstFrame) - SOUND_MARGIN_SEC) * sound.sampleRate,
					(secOf(firstFrame + count) + SOUND_MARGIN_SEC) * sound.sampleRate,
				)
			: [],
		frames: count,
	}
}

/** Returns the init segment and the segments that overlap a range, which is counted in units of the stream. */
function keysWithin({ initKey, segments }: Stream, from: number, to: number): string[] {
	let at = 0
	const keys = segments.flatMap(({ key, units }) => {
		const begin = at
		at += units
		return begin < to && at > from ? [key] : []
	})
	return keys.length === 0 ? [] : [initKey, ...keys]
}

function pictureOf(done: readonly TaskRow[], media: string, rung: string): Stream | null {
	let stream: Stream | null = null
	for (const row of done) {
		const { spec, result } = row
		const found = result?.kind === 'remux' ? [result.rung] : result?.kind === 'video' ? result.rungs : []
		const output = found.find(({ id }) => id === rung)
		if (!output) continue
		const folder = `${media}${folderOf(row)}/`
		const first = spec.kind === 'video' ? spec.firstSegment : 0
		stream ??= { initKey: folder + initName(rung), segments: [] }
		stream.segments.push(
			...output.segments.map(({ frames }, k) => ({
				key: folder + segmentName(rung, first + k),
				units: frames,
			})),
		)
	}
	return stream
}

function soundOf(
	done: readonly TaskRow[],
	media: string,
	track: string,
): (Stream & { sampleRate: number }) | null {
	for (const row of done) {
		if (row.result?.kind !== 'audio') continue
		const output = row.result.tracks.find(({ id }) => id === track)
		if (!output) continue
		const folder = `${media}${folderOf(row)}/`
		return {
			sampleRate: output.sampleRate,
			initKey: folder + initName(track),
			segments: output.segments.map(({ samples }, k) => ({
				key: folder + segmentName(track, k),
				units: samples,
			})),
		}
	}
	return null
}
