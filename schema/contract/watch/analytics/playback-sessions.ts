import { z } from 'zod'
import { AssetId, data, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Activity } from './playback-state.ts'
import { PlayerKind, ReportId } from './player-events.ts'

const operation = describeOperations('Analytics')

const ms = z.int()
const byHeight = z.record(z.string(), ms)
const count = z.int()

export const PlaybackSessionTimeline = z
	.object({
		sessionId: z.string(),
		reportId: z.string().nullable().meta({
			description:
				'The report id that the page showed, or the `sid` of a player with CMCD; null if the player sent none',
		}),
		startedAt: Timestamp.meta({ description: 'When the first report arrived' }),
		reportedAt: Timestamp.meta({ description: 'When the newest report arrived' }),
		isOpen: z.boolean().meta({ description: 'Whether the player may still report' }),
		audience: z.enum(['viewer', 'member', 'bot', 'crowd']),
		device: z.enum(['desktop', 'phone', 'tablet', 'tv', 'other']),
		browser: z.string(),
		country: z.string().nullable(),
		referrer: z.string().nullable().meta({ description: 'The host of the page around the player' }),
		player: PlayerKind,
		totals: z
			.object({
				activity: Activity,
				positionMs: ms,
				watchedMs: ms,
				playedMs: ms,
				startupMs: ms.nullable(),
				waitedMs: ms,
				stalls: count,
				stalledMs: ms,
				seeks: count,
				seekMs: ms,
				shownMs: byHeight.meta({ description: 'How long each quality was shown, by height' }),
				deliveredMs: byHeight.meta({ description: 'How much video was loaded in each quality, by height' }),
				renditionsUp: count,
				renditionsDown: count,
				droppedFrames: count,
				error: z.string().nullable(),
			})
			.meta({ description: 'Totals of the whole session, from the newest report' }),
		entries: z
			.array(
				z.object({
					at: Timestamp,
					activity: Activity,
					positionMs: ms,
					shownMs: byHeight.meta({ description: 'How long each quality was shown since the entry before' }),
					stalls: count.meta({ description: 'Since the start of the session, like `stalledMs`' }),
					stalledMs: ms,
					error: z.string().nullable(),
				}),
			)
			.meta({
				description:
					'At most 200. While nothing but the position changes, only the first and the last reports have an entry',
			}),
		omitted: count.meta({ description: 'The number of entries left out of the middle' }),
	})
	.meta({ id: 'PlaybackSessionTimeline' })
export type PlaybackSessionTimeline = z.infer<typeof PlaybackSessionTimeline>

export const getPlaybackSession = operation({
	id: 'getPlaybackSession',
	method: 'get',
	path: '/v1/assets/{assetId}/sessions/{sessionId}',
	summary: 'Get the time line of a playback session',
	description:
		'Takes the id of a session, or the report id that the player shows when playback fails. The report id of a player with CMCD is its `sid`. A page with the player may have had several sessions: up to 20 are returned, newest first. Sessions can be read while they are open, and for 48 hours afterwards.',
	auth: 'read',
	impersonation: 'read',
	params: z.object({
		assetId: AssetId,
		sessionId: ReportId.meta({ description: 'The id of a session, or a report id' }),
	}),
	response: data(z.object({ sessions: z.array(PlaybackSessionTimeline) })),
	errors: ['not_found', 'not_configured'],
})
