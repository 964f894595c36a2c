import type { Deps } from '../../../platform/deps.ts'
import { findPlayable } from '../../../video/assets/playable/playable.ts'
import { isPlaybackToken } from '../../../video/assets/playable/playback-tokens.ts'
import { isCallerOfOrg } from '../../../video/assets/playable/viewer.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import type { SessionReport } from '../sessions/open-session.ts'
import { requireSessions } from '../sessions/session-stub.ts'
import { ROOT, type Shard } from '../sessions/shards/shards.ts'
import { readCmcd } from './cmcd/read-cmcd.ts'
import { limitQualities } from './limit-qualities.ts'
import { formatSessionScope, measureViewer } from './measured-viewer.ts'
import { type EventProblem, readEvents, type SessionEvents } from './read-events.ts'
import { newSessionShard, rememberLevel } from './route-sessions.ts'
import { readSession, type SessionGrant, signSession } from './session-token.ts'
import { describePlace, type Sender } from './viewer.ts'
import { markNetwork } from './visitor.ts'

export type EventsRequest = Sender & {
	events: readonly unknown[]
	/** Whether the events are records of CMCD. */
	isCmcd: boolean
	viewerToken: string | undefined
}

type AcceptedSession = { sessionId: string; token: string; nextBeatMs: number; live: number | null }
type Answer = { rejected: EventProblem[]; accepted: AcceptedSession[] }

type Routed = { session: SessionEvents; grant: SessionGrant | null; shard: Shard }

/** Players report one. The request limit alone would allow an IP address to invent thousands a minute. */
const MAX_SESSIONS = 5
/** The report interval of players whose sessions are not stored. */
const UNMEASURED_BEAT_MS = 120_000

const messages = {
	not_found: 'no such playback',
	playback_token_required:
		'this video requires a playback token (viewerToken); it is missing, invalid or expired',
	session_over: 'the session is over; start a new one',
} as const

/** Forwards player events to the objects that store their sessions. Runs no SQL for cached videos. */
export async function ingestEvents(deps: Deps, sent: EventsRequest) {
	const { sessions, problems } = sent.isCmcd
		? await readCmcd(sent.events, sent.request.headers.get('origin') ?? undefined)
		: readEvents(sent.events)
	const tooMany = sessions.slice(MAX_SESSIONS).flatMap(({ indexes }) => indexes)
	for (const index of tooMany)
		problems.push({
			index,
			code: 'invalid',
			message: `a request may report at most ${MAX_SESSIONS} sessions`,
		})
	const byVideo = [...Map.groupBy(sessions.slice(0, MAX_SESSIONS), ({ playbackId }) => playbackId)]
	const answers = await Promise.all(
		byVideo.map(([playbackId, of]) => ingestVideo(deps, sent, playbackId, of)),
	)
	const rejected = [...problems, ...answers.flatMap((answer) => answer.rejected)]
	return {
		accepted: sent.events.length - rejected.length,
		rejected: rejected.length,
		problems: rejected.toSorted((a, b) => a.index - b.index),
		sessions: answers.flatMap((answer) => answer.accepted),
	}
}

const problemsOf = ({ indexes }: SessionEvents, code: keyof typeof messages): EventProblem[] =>
	indexes.map((index) => ({ index, code, message: messages[code] }))

async function ingestVideo(
	deps: Deps,
	sent: EventsRequest,
	playbackId: string,
	sessions: readonly SessionEvents[],
): Promise<Answer> {
	const video = await findPlayable(deps, playbackId)
	if (!video) return { rejected: sessions.flatMap((each) => problemsOf(each, 'not_found')), accepted: [] }
	const mayWatch =
		video.visibility !== 'signed' ||
		isCallerOfOrg(sent.caller, video) ||
		(await isPlaybackToken(deps, video, 'v', sent.viewerToken))
	const answer: Answer = { rejected: [], accepted: [] }
	const routed: Routed[] = []
	for (const session of sessions) {
		const { token, sessionId } = session
		const grant = token === undefined ? null : await readSession(deps, token, session)
		// The holder of a session token was allowed to watch when the session began.
		if (grant) routed.push({ session, grant, shard: grant.shard })
		else if (token !== undefined) answer.rejected.push(...problemsOf(session, 'session_over'))
		else if (mayWatch)
			routed.push({
				session,
				grant,
				shard: mayBeElsewhere(session.state, grant) ? ROOT : newSessionShard(playbackId, sessionId),
			})
		else answer.rejected.push(...problemsOf(session, 'playback_token_required'))
	}
	const measured = await measureViewer(deps, sent, video)
	if (!measured) {
		const unmeasured = { startedAt: deps.now, nextBeatMs: UNMEASURED_BEAT_MS, shard: ROOT }
		for (const { session } of routed)
			answer.accepted.push(await acceptSession(deps, session, unmeasured, null))
		return answer
	}
	const { collected, ...viewer } = measured
	const isNew = routed.some(({ grant }) => grant === null)
	const network = isNew ? await markNetwork(deps, playbackId, sent.ip) : null
	for (const [, group] of Map.groupBy(routed, ({ shard }) => `${shard.level}.${shard.index}`)) {
		const reports = group.map(({ session, grant }) => ({
			...viewer,
			// The holder of a session token was counted when the session began.
			network: grant === null ? network : null,
			...(session.preview === true && { audience: 'member' as const }),
			...reportOf(limitQualities(session, video), grant),
			place: describePlace(sent.request, session, collected),
		}))
		await reportTo(deps, video, group, reports, answer)
	}
	return answer
}

/** The root object finds sessions whose first response was lost, and stores those of players that send no tokens. */
const mayBeElsewhere = (state: SessionEvents['state'], grant: SessionGrant | null): boolean =>
	grant === null && state?.seq !== 1

const reportOf = (
	{ sessionId, reportId, state, events, isEnd, ownIntervalMs }: SessionEvents,
	grant: SessionGrant | null,
): Omit<SessionReport, 'audience' | 'network' | 'visitor' | 'place'> => ({
	sessionId,
	reportId: reportId ?? null,
	startedAt: grant?.startedAt ?? null,
	mayBeElsewhere: mayBeElsewhere(state, grant),
	state,
	events,
	isEnd,
	ownIntervalMs,
})

/** Sends the reports of one shard to its object and merges the results into `answer`. */
async function reportTo(
	deps: Deps,
	video: PlayableRow,
	group: readonly Routed[],
	reports: readonly SessionReport[],
	answer: Answer,
): Promise<void> {
	const { playbackId } = video
	const shard = group[0]?.shard ?? ROOT
	const { sessions, viewers, level } = await requireSessions(deps.env, playbackId, shard).report(
		formatSessionScope(video, shard),
		reports,
		deps.now,
	)
	rememberLevel(playbackId, level)
	const live = video.org.analytics.showLiveCount ? viewers : null
	for (const [k, { session }] of group.entries()) {
		const reported = sessions[k] ?? null
		if (reported === null) answer.rejected.push(...problemsOf(session, 'session_over'))
		else answer.accepted.push(await acceptSession(deps, session, reported, live))
	}
}

async function acceptSession(
	deps: Deps,
	{ sessionId, playbackId }: SessionEvents,
	{ startedAt, shard, nextBeatMs }: { startedAt: number; shard: Shard; nextBeatMs: number },
	live: number | null,
): Promise<AcceptedSession> {
	const token = await signSession(deps, { sessionId, playbackId, shard, startedAt })
	return { sessionId, token, nextBeatMs, live }
}
