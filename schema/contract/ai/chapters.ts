import { z } from 'zod'
import { AssetId, data, Line, Timestamp } from '../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../kit/headers/entity-tag.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Assets')
const params = z.object({ assetId: AssetId })

const MAX_CHAPTERS = 500

const ms = (sec: number): number => Math.round(sec * 1_000)

const Chapter = z.object({
	title: Line.min(1).max(200),
	startTime: z.number().nonnegative().meta({ description: 'Seconds from the beginning of the video' }),
	endTime: z.number().positive(),
})

const Reasons = z
	.object({
		words: z.number().meta({
			description:
				'How much more the words of each side have in common than those of both sides, in standard deviations',
		}),
		pauseSec: z.number().nonnegative(),
		isAnnounced: z.boolean().meta({ description: 'Whether the first sentence announces another topic' }),
		isShotCut: z.boolean(),
	})
	.meta({ description: 'What speaks for the beginning of a chapter that was made from the transcript' })

export const VideoChapter = Chapter.extend({ reasons: Reasons.optional() }).meta({ id: 'VideoChapter' })
export type VideoChapter = z.infer<typeof VideoChapter>

const NewChapter = Chapter.extend({
	endTime: Chapter.shape.endTime
		.optional()
		.meta({ description: 'If omitted, the beginning of the next chapter or the end of the video' }),
})
export type NewChapter = z.infer<typeof NewChapter>

const CurrentChapters = data(
	z
		.object({
			chapters: z.array(VideoChapter),
			editedAt: Timestamp.nullable().meta({
				description: 'When a person last replaced or removed the chapters; null if they were made',
			}),
			isStale: z.boolean().meta({
				description: 'Whether the chapters were made from an older transcript. They are made again soon.',
			}),
		})
		.meta({ id: 'VideoChapters' }),
)

export const getChapters = operation({
	id: 'getChapters',
	method: 'get',
	path: '/v1/assets/{assetId}/chapters',
	summary: 'Get the chapters of an asset',
	auth: 'read',
	impersonation: 'read',
	params,
	...returnsEtag,
	response: CurrentChapters,
	errors: ['not_found'],
})

export const replaceChapters = operation({
	id: 'replaceChapters',
	method: 'patch',
	path: '/v1/assets/{assetId}/chapters',
	summary: 'Replace the chapters of an asset',
	description:
		'The first chapter begins at 0. Chapters are in ascending order, do not overlap, and end within the video. An empty list removes them. Either way, chapters are no longer made from the transcript. Returns 409 until the duration of the video is known.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params,
	...takesIfMatch,
	body: z.object({
		chapters: z
			.array(NewChapter)
			.max(MAX_CHAPTERS)
			.refine(
				(chapters) =>
					chapters.every(({ startTime, endTime }, at) => {
						const next = chapters[at + 1]?.startTime
						return (
							(at > 0 || startTime === 0) &&
							(next === undefined || ms(next) > ms(startTime)) &&
							(endTime === undefined ||
								(ms(endTime) > ms(startTime) && (next === undefined || endTime <= next)))
						)
					}),
				'must begin at 0, be in ascending order and not overlap, and each must last at least a millisecond',
			),
	}),
	response: CurrentChapters,
	errors: ['not_found', 'conflict'],
})
