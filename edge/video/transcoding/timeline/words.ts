import type { AiStep } from '#schema/contract/video/assets.ts'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../platform/clock.ts'

const units = [
	[DAY, 'd'],
	[HOUR, 'h'],
	[MINUTE, 'min'],
	[SECOND, 's'],
] as const

/** Returns a duration in its two largest units, such as `3 min 20 s`. */
export function describeDuration(ms: number): string {
	if (ms < SECOND) return 'less than a second'
	const seconds = ms < MINUTE ? Math.round(ms / SECOND) * SECOND : ms
	const largest = units.findIndex(([unit]) => seconds >= unit)
	const parts = units.slice(largest, largest + 2).map(([unit, name], i) => {
		const left = i === 0 ? seconds : seconds % (units[largest]?.[0] ?? 1)
		return [Math.floor(left / unit), name] as const
	})
	return parts
		.filter(([amount]) => amount > 0)
		.map(([amount, name]) => `${amount} ${name}`)
		.join(' ')
}

/** Ends a text with exactly one full stop. */
export const toSentence = (text: string): string => `${text.replace(/(?<![.\s])[.\s]+$/, '')}.`

/** What each kind of task does, as the start of a sentence. */
export const taskNames: Record<TaskKind, string> = {
	fetch: 'Import from the URL',
	inspect: 'Inspection of the source',
	remux: 'Copy of the video',
	video: 'Encoding of video',
	audio: 'Encoding of audio',
	stills: 'Poster and thumbnails',
	download: 'MP4 file',
	'speech-plan': 'Search for speech',
	transcribe: 'Transcription',
	clip: 'Clip of a highlight',
	poster: 'Thumbnail from a frame',
}

export const stepNames: Record<AiStep, string> = {
	transcription: 'Transcription',
	subtitles: 'Subtitles',
	chapters: 'Chapters',
	highlights: 'Highlights',
}
