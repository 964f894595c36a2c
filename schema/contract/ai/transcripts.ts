import { z } from 'zod'
import { AssetId, data, Line } from '../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../kit/headers/entity-tag.ts'
import { describeOperations } from '../kit/operation.ts'
import { Language } from './subtitles/language.ts'

const operation = describeOperations('Assets')
const params = z.object({ assetId: AssetId })

/** More than half a day of speech. */
const MAX_SEGMENTS = 20_000
const MAX_WORDS = 500

const span = {
	start: z.number().nonnegative().meta({ description: 'Seconds from the beginning of the video' }),
	end: z.number().nonnegative(),
}

const Word = z.object({ word: Line.min(1).max(100), ...span })

const Segment = z.object({
	...span,
	text: Line.min(1).max(1_000),
	words: z.array(Word).max(MAX_WORDS).optional().meta({
		description:
			'The times of the words. Where they differ from `text`, or are missing, known words keep their times, and the others share the time between them',
	}),
	suspect: z.boolean().optional().meta({
		description: 'Whether the text is probably not what was said; it is left out of the subtitles',
	}),
})
export type TranscriptSegment = z.infer<typeof Segment>
export type TranscriptWord = z.infer<typeof Word>

export const Transcript = z
	.object({
		language: Language.nullable(),
		duration: z.number().nonnegative(),
		text: z.string().meta({ description: 'The text of all segments' }),
		segments: z.array(Segment.extend({ id: z.int().nonnegative(), words: z.array(Word) })),
	})
	.meta({ id: 'Transcript' })
export type Transcript = z.infer<typeof Transcript>

const CurrentTranscript = data(z.object({ transcript: Transcript }))

export const getTranscript = operation({
	id: 'getTranscript',
	method: 'get',
	path: '/v1/assets/{assetId}/transcript',
	summary: 'Get the transcript of an asset',
	description: 'Returns 404 if it has none.',
	auth: 'read',
	impersonation: 'read',
	params,
	...returnsEtag,
	response: CurrentTranscript,
	errors: ['not_found'],
})

export const replaceTranscript = operation({
	id: 'replaceTranscript',
	method: 'patch',
	path: '/v1/assets/{assetId}/transcript',
	summary: 'Replace the transcript of an asset, and its subtitles',
	description:
		'Segments are in ascending order, do not overlap, and end within the video. The subtitles (WebVTT and SRT) are made from them. An edited text may be sent without `words`: those that were there before keep their times. A list without segments removes the transcript. Returns 409 until the duration of the video is known.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params,
	...takesIfMatch,
	body: z.object({
		transcript: z.object({
			language: Language.nullable().optional().meta({ description: 'If omitted, the language stays' }),
			segments: z
				.array(Segment)
				.max(MAX_SEGMENTS)
				.refine(
					(segments) =>
						segments.every(
							({ start, end }, at) =>
								Math.round(end * 1_000) > Math.round(start * 1_000) && start >= (segments[at - 1]?.end ?? 0),
						),
					'must be in ascending order and not overlap, and each must last at least a millisecond',
				),
		}),
	}),
	response: CurrentTranscript,
	errors: ['not_found', 'conflict'],
})
