import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import type { TaskResult } from '#schema/contract/video/tasks.ts'
import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import { planJob } from '../../../../../edge/video/transcoding/plan/plan.ts'
import type { TaskOutput } from '../../../../../edge/video/transcoding/presentation/task-output.ts'
import { describeOptions } from '../../../../support/shared/described-source.ts'

const effort = { workSec: 1, mediaSec: 1, hwAccelUsed: false, notes: [] }
const init = { bytes: 800, sha256: 'a'.repeat(64) }

const codecsOf: Record<string, string> = {
	h264: 'avc1.640028',
	hevc: 'hvc1.1.6.L120.90',
	av1: 'av01.0.08M.08',
}

/** Returns outputs without faults. A segment has as many bytes per frame as its rung has lines. */
export function makePerfectOutputs(
	info: MediaInfo,
	options = describeOptions(),
): { plan: JobPlan; outputs: TaskOutput[] } {
	const { plan, tasks } = planJob(info, options)
	const total = Math.round(plan.durationSec * (plan.fps ? plan.fps.num / plan.fps.den : 1))
	const cut = (cuts: readonly number[], end: number, lines: number) =>
		cuts.map((first, k) => {
			const frames = (cuts[k + 1] ?? end) - first
			return { bytes: frames * lines, frames, keyBytes: 10 * lines }
		})
	const outputs = tasks.map(({ index, spec }): TaskOutput => {
		const folder = `tsk_${spec.kind}${index}-1`
		const put = (result: TaskResult): TaskOutput => ({ folder, index, result })
		if (spec.kind === 'remux') {
			const { width, height } = plan.rungs.find(({ copied }) => copied) ?? { width: 0, height: 0 }
			const segments = cut(spec.cuts, total, Math.min(width, height))
			const rung = {
				id: spec.rung,
				encoder: 'copy' as const,
				width,
				height,
				init,
				codecs: 'avc1.4d4028',
				segments,
			}
			return put({ kind: 'remux', rung, ...effort })
		}
		if (spec.kind === 'video') {
			const end = spec.frames === null ? total : spec.firstFrame + spec.frames
			const frames = end - spec.firstFrame
			const rungs = spec.rungs.map(({ id, codec, encoder, width, height }) => {
				const segments = cut(spec.cuts, end, Math.min(width, height))
				return { id, encoder, width, height, init, codecs: codecsOf[codec] ?? '', segments }
			})
			const tiles = Math.ceil(frames / (spec.storyboard?.everyFrames ?? 1))
			const sheet = { name: 'sheet.jpg', bytes: 1, columns: 10, rows: Math.ceil(tiles / 10), tiles }
			return put({ kind: 'video', frames, rungs, sheet, ...effort })
		}
		if (spec.kind === 'audio') {
			const seconds = spec.durationSec ?? plan.durationSec
			const tracks = (spec.filesOnly ? [] : spec.tracks).map(({ id, sampleRate }, k) => {
				const count = Math.ceil(seconds / 4)
				const segments = Array.from({ length: count }, (_, n) => ({
					bytes: 64_000 + 1_000 * k,
					samples: n + 1 < count ? 4 * sampleRate : Math.round((seconds - 4 * n) * sampleRate),
				}))
				return { id, sampleRate, channels: 2, init, codecs: 'mp4a.40.2', segments }
			})
			const object = { name: 'playback.m4a', bytes: 1 }
			const peaks = spec.peaks && { peaks: btoa('\u00ff'.repeat(spec.peaks)) }
			return put({ kind: 'audio', tracks, playback: object, ai: object, ...peaks, ...effort })
		}
		if (spec.kind !== 'stills') throw new Error(`no ${spec.kind} was planned`)
		const sheets = spec.storyboard
			? [
					{ name: 'sheets/0.jpg', bytes: 1, columns: 10, rows: 10, tiles: 100 },
					{ name: 'sheets/1.jpg', bytes: 1, columns: 10, rows: 2, tiles: 20 },
				]
			: []
		const poster = { name: 'poster.jpg', bytes: 1 }
		const preview = { name: 'preview.webp', bytes: 1 }
		return put({ kind: 'stills', poster, preview, placeholder: null, sheets, ...effort })
	})
	return { plan, outputs }
}
