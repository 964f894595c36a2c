import type { ProcessingOutputs } from '../../assets/moves.ts'
import { findOutputLocation } from '../machine-api/output-location.ts'
import { countPixels } from '../plan/frame-size.ts'
import { isAfterJob } from '../plan/ranks.ts'
import { listStoredObjects } from '../plan/result-problem.ts'
import type { Presentation } from '../presentation/presentation.ts'
import { STORYBOARD_NAME } from '../presentation/storyboard-file.ts'
import type { PlannedJob } from '../store/job-store.ts'
import { listJobFolders } from '../store/output-folders.ts'
import type { TaskRow } from '../store/task-row.ts'

/** Returns what a publish writes to the asset. */
export function collectOutputs(
	job: PlannedJob,
	rows: readonly TaskRow[],
	presentation: Presentation,
	manifestKey: string,
): ProcessingOutputs {
	const { media } = listJobFolders(job.playbackId, job.assetId, job.id)
	const hasStoryboard = presentation.files.some(({ name }) => name === STORYBOARD_NAME)
	return {
		durationSec: job.plan.durationSec,
		manifestKey,
		...stillsOutputs(job, rows),
		...displaySize(presentation),
		storyboardKey: hasStoryboard ? media + STORYBOARD_NAME : null,
		...audioOutputs(job, rows),
		downloadKey: null,
		mediaBytes: outputBytes(rows, presentation),
	}
}

/** Returns poster, preview and placeholder; null for audio-only assets, and while the stills task is not done. */
function stillsOutputs(
	job: PlannedJob,
	rows: readonly TaskRow[],
): Pick<ProcessingOutputs, 'frameKey' | 'previewKey' | 'placeholder'> {
	const row = rows.find(({ kind, state }) => kind === 'stills' && state === 'done')
	if (row?.result?.kind !== 'stills') return { frameKey: null, previewKey: null, placeholder: null }
	const { poster, preview, placeholder } = row.result
	return {
		frameKey: findOutputLocation(row, job.playbackId, poster.name).key,
		previewKey: findOutputLocation(row, job.playbackId, preview.name).key,
		// Results from before placeholders existed have none.
		placeholder: placeholder ?? null,
	}
}

/** Returns the size of the largest rendition; null for audio without video. */
function displaySize({ renditions }: Presentation): Pick<ProcessingOutputs, 'width' | 'height'> {
	const [largest] = renditions.toSorted((a, b) => countPixels(b) - countPixels(a))
	return { width: largest?.width ?? null, height: largest?.height ?? null }
}

/** Returns the audio files and their format; null for a silent video. */
function audioOutputs(
	job: PlannedJob,
	rows: readonly TaskRow[],
): Pick<ProcessingOutputs, 'audioTrack' | 'audioKey' | 'aiAudioKey'> {
	const keyOf = (file: 'playback' | 'ai') => {
		const [key = null] = rows.flatMap((row) => {
			const stored = row.state === 'done' && row.result?.kind === 'audio' ? row.result[file] : null
			return stored ? [findOutputLocation(row, job.playbackId, stored.name).key] : []
		})
		return key
	}
	const audioKey = keyOf('playback')
	const { codec, bitrateKbps, sampleRate, channels } = job.requestedOptions.playback
	return {
		audioTrack: audioKey === null ? null : { codec, bitrateKbps: bitrateKbps ?? 0, sampleRate, channels },
		audioKey,
		aiAudioKey: keyOf('ai'),
	}
}

/** Returns the size of all outputs without source and downloads. */
function outputBytes(rows: readonly TaskRow[], { files }: Presentation): number {
	const objects = rows.flatMap(({ kind, state, spec, result }) =>
		state === 'done' && result && !isAfterJob(kind) ? listStoredObjects(spec, result) : [],
	)
	const texts = files.reduce((sum, { text }) => sum + text.length, 0)
	return objects.reduce((sum, { bytes }) => sum + bytes, texts)
}
