import { z } from 'zod'

/** 23 days. A session lasts at most a day. */
export const MAX_MS = 2_000_000_000
export const MAX_COUNT = 1_000_000
/** Two numbers for each span. */
export const MAX_PLAYED = 2_000
export const MAX_HEIGHTS = 20

const count = z.int().min(0).max(MAX_COUNT)
const milliseconds = z.int().min(0).max(MAX_MS)

/** The shorter side in pixels, which names a quality. */
const Height = z.string().regex(/^[1-9]\d{1,4}$/)

/** Milliseconds of video by the height of the quality. */
const byHeight = z
	.record(Height, milliseconds)
	.refine(
		(entries) => Object.keys(entries).length <= MAX_HEIGHTS,
		`must not have more than ${MAX_HEIGHTS} heights`,
	)

export const Activity = z.enum(['starting', 'playing', 'paused', 'seeking', 'stalled', 'ended', 'failed'])
export type Activity = z.infer<typeof Activity>

/**
 * Everything that a player knows about a playback session so far. A newer state contains the older ones, so it replaces
 * them: a state that is lost, late or received twice changes no total.
 */
export const PlaybackState = z
	.object({
		seq: z.int().min(1).max(MAX_COUNT).meta({
			description: 'The number of this state in its session. A state with a lower number is ignored',
		}),
		activity: Activity,
		positionMs: milliseconds.meta({ description: 'The current position in the video' }),
		watchedMs: milliseconds.meta({
			description: 'How long the video was playing or stalled after it had started; never less than before',
		}),
		played: z
			.array(
				z
					.int()
					.min(0)
					.max(MAX_MS / 100),
			)
			.max(MAX_PLAYED)
			.refine(
				(times) =>
					times.length % 2 === 0 && times.every((time, at) => at % 2 === 0 || time > (times[at - 1] ?? time)),
				'must be pairs of a start and a later end',
			)
			.meta({
				description:
					'The parts of the video that were played, in the order of playing, repetitions included: start, end, start, end … in tenths of a second',
			}),
		startupMs: milliseconds.nullable().default(null).meta({
			description: 'From the request to play until the first frame; null before that',
		}),
		waitedMs: milliseconds.default(0).meta({
			description: 'How long the viewer has waited for the first frame, even if none was shown',
		}),
		stalls: count
			.default(0)
			.meta({ description: 'How often playback waited for data, except for the start and after seeks' }),
		stalledMs: milliseconds.default(0),
		seeks: count.default(0),
		seekMs: milliseconds.default(0).meta({ description: 'How long seeks took until playback could go on' }),
		renditionMs: byHeight.default({}).meta({
			description:
				'How long each quality was shown, in milliseconds by the shorter side of the picture in pixels',
		}),
		deliveredMs: byHeight.default({}).meta({
			description:
				'How much video was loaded from the network, in milliseconds by the shorter side of the picture',
		}),
		bitrateMs: z.number().min(0).max(1e15).default(0).meta({
			description: 'The sum of bitrate (kbit/s) times how long it was shown (ms)',
		}),
		upscaleMs: z.number().min(0).max(1e12).default(0).meta({
			description:
				'The sum of how far the picture was enlarged (1 for twice the size of the video) times for how long (ms)',
		}),
		upscaleMax: z.number().min(0).max(100).default(0),
		renditionsUp: count.default(0).meta({ description: 'How often the quality became higher' }),
		renditionsDown: count.default(0),
		droppedFrames: z.int().min(0).max(MAX_MS).default(0),
		error: z
			.string()
			.regex(/^[\w.-]{1,64}$/)
			.nullable()
			.default(null)
			.meta({ description: 'A short code of the error that ended playback' }),
	})
	.meta({
		id: 'PlaybackState',
		description: 'The state of a playback session so far, as its player knows it',
	})
export type PlaybackState = z.infer<typeof PlaybackState>
