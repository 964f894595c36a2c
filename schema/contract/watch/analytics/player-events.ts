import { z } from 'zod'
import { data, PlaybackId, ViewerToken } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { MAX_MS, PlaybackState } from './playback-state.ts'

const operation = describeOperations('Analytics')

export const MAX_EVENTS = 50

export const PlayerEventKind = z.enum([
	'view_start',
	'heartbeat',
	'play',
	'pause',
	'seek',
	'quality_change',
	'buffer_start',
	'buffer_end',
	'error',
	'view_end',
])
export type PlayerEventKind = z.infer<typeof PlayerEventKind>

/** Chosen by the player, at random, for each playback of a video. */
export const PlaybackSessionId = z.string().regex(/^[\w-]{8,64}$/, 'must be 8 to 64 letters, digits, - or _')

/** The server chooses one for each load of a page with the player. Ids of sessions have this form too. */
export const ReportId = z.string().regex(/^[\w.-]{8,80}$/, 'must be 8 to 80 letters, digits, -, _ or .')

export const PlayerKind = z.enum(['embed', 'watch', 'other'])
export type PlayerKind = z.infer<typeof PlayerKind>

export const PlayerEvent = z
	.object({
		kind: PlayerEventKind,
		playbackId: PlaybackId,
		sessionId: PlaybackSessionId.meta({
			description: 'A random id that the player chooses for each playback of a video, and stores nowhere',
		}),
		at: z.int().min(0).max(8_640_000_000_000_000).optional().meta({
			description:
				'The time of the event by the clock of the player, in milliseconds since 1970. Required without `state`. Only differences within a session matter, and an event with the same kind and time counts once',
		}),
		positionMs: z.int().min(0).max(MAX_MS).optional(),
		watchedMs: z.int().min(0).max(MAX_MS).optional().meta({
			description: 'How long the video was watched in this session so far; never less than before',
		}),
		height: z.int().min(10).max(99_999).optional().meta({
			description: 'The new quality in `quality_change`, by its shorter side in pixels',
		}),
		error: z
			.string()
			.regex(/^[\w.-]{1,64}$/, 'must be a short code of letters, digits, _, - and .')
			.optional(),
		state: PlaybackState.optional(),
		token: z.string().max(1_024).optional().meta({
			description: 'The token from the response to an earlier event of the session',
		}),
		player: PlayerKind.optional(),
		preview: z.boolean().optional().meta({
			description:
				'Whether this is a preview, such as in a dashboard. A preview counts in `members` alone, and not in the live count. The first event of a session decides',
		}),
		reportId: ReportId.optional().meta({
			description:
				'The id that the player shows to a viewer when playback fails, so that support can find the session',
		}),
		referrer: z.string().max(2_048).optional().meta({
			description: 'The address of the page around the player. Only its host is stored',
		}),
	})
	.refine(
		({ state, at }) => state !== undefined || at !== undefined,
		'must have state, or else the time of the event (at)',
	)
	.meta({ id: 'PlayerEvent' })
export type PlayerEvent = z.infer<typeof PlayerEvent>
/** An event as players send it: fields with a default are optional. */
export type SentPlayerEvent = z.input<typeof PlayerEvent>

export const EventProblemCode = z
	.enum(['invalid', 'not_found', 'playback_token_required', 'session_over'])
	.meta({
		description: '`session_over`: the session has ended, or its token is no longer valid; start a new one',
	})
export type EventProblemCode = z.infer<typeof EventProblemCode>

export const sendPlayerEvents = operation({
	id: 'sendPlayerEvents',
	method: 'post',
	path: '/v1/analytics/events',
	summary: 'Report events of a player',
	description:
		'Takes 1 to 50 events of the kinds `view_start`, `heartbeat`, `play`, `pause`, `seek`, `quality_change`, `buffer_start`, `buffer_end`, `error` and `view_end`. Each event is validated by itself: invalid ones are counted in `rejected` and described in `problems`, and the others are accepted. An event with `state` contains the whole state of its session and replaces earlier ones, so it may be lost, delayed or sent twice. Players without `state` send each event with its time. `sessions` has an entry for each session of the request: send its `token` with the next events of the session, and the next heartbeat after `nextBeatMs`. `live` is the number of people who watch the video now, or null if its organization hides it. The body may also be sent as `text/plain`, as browsers do when a page is closed. Players that know CMCD (CTA-5004) version 2 send its events instead, as `application/cmcd`: one record on each line, with the playback id in `cid`, and the playback token of a signed video as `?token=`. Requests with `DNT: 1` or `Sec-GPC: 1` are counted as configured in `analytics.onDoNotTrack`. A request may contain at most five sessions, and an address may send 300 requests a minute.',
	auth: 'viewer',
	audit: 'none: work',
	idempotencyKey: { needless: 'an event that arrives twice counts once' },
	openBody: { reason: 'players of other versions, and other makers, report what they know' },
	anyOrigin: true,
	logsFailuresOnly: true,
	bodyTypes: ['text/plain'],
	lineBody: { types: ['application/cmcd', 'text/cmcd'], field: 'events', maxBytes: 131_072 },
	query: z.object({ token: ViewerToken }),
	body: z.object({
		// Checked one by one, so that one event that can't be used does not drop the others.
		events: z
			.array(z.union([PlayerEvent, z.unknown()]))
			.min(1)
			.max(MAX_EVENTS),
		viewerToken: ViewerToken,
	}),
	status: 202,
	response: data(
		z.object({
			accepted: z.int(),
			rejected: z.int(),
			problems: z.array(z.object({ index: z.int(), code: EventProblemCode, message: z.string() })),
			sessions: z.array(
				z.object({
					sessionId: z.string(),
					token: z.string(),
					nextBeatMs: z.int(),
					live: z.int().nullable(),
				}),
			),
		}),
	),
	errors: ['not_configured'],
	shield: 'player-events',
})
