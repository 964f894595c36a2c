import { type Beats, type BeatsOptions, startBeats } from '../../../../../edge/web/player/reporting/beats.ts'
import type { Answer, ReportedEvent } from '../../../../../edge/web/player/reporting/post-events.ts'
import {
	type EventProblemCode,
	PlayerEvent,
} from '../../../../../schema/contract/watch/analytics/player-events.ts'
import { openScript, type Script } from './playback-script.ts'

type Sent = ReportedEvent & { viewerToken: string | undefined; way: 'post' | 'beacon' }
type Timer = { at: number; callback: () => void }

/** A server, a clock with timers, and a player that plays. */
export function openBeatsWorld(options: Partial<BeatsOptions> = {}) {
	const sent: Sent[] = []
	/** The text of each request. */
	const bodies: string[] = []
	const lives: (number | null)[] = []
	const timers = new Set<Timer>()
	let sleptMs = 0
	let sessions = 0
	let script: Script = openScript()
	let clockMs = 0
	const world = {
		isOnline: true,
		nextBeatMs: 10_000,
		live: 7 as number | null,
		/** Answers a request with this event; null for no answer. */
		answer: (_event: ReportedEvent): Partial<Answer> | null => ({}),
		random: 0.5,
	}
	const read = (body: string, way: Sent['way']): ReportedEvent => {
		bodies.push(body)
		const { events, viewerToken } = JSON.parse(body)
		// The request body of the contract accepts any event, and counts those that can't be used.
		const event = PlayerEvent.parse(events[0])
		sent.push({ ...event, viewerToken, way })
		return event
	}
	const beats: Beats = startBeats({
		playbackId: 'p'.repeat(22),
		player: 'embed',
		isPreview: false,
		reportId: 'report-1',
		referrer: 'https://example.org',
		viewerToken: () => null,
		now: () => clockMs,
		wallNow: () => 1_700_000_000_000 + clockMs + sleptMs,
		random: () => world.random,
		schedule(callback, ms) {
			const timer = { at: clockMs + ms, callback }
			timers.add(timer)
			return () => void timers.delete(timer)
		},
		newSessionId: () => `session-${++sessions}`,
		isOnline: () => world.isOnline,
		async post(body) {
			const event = read(body, 'post')
			const { nextBeatMs, live } = world
			const answer = world.answer(event)
			if (!answer) throw new TypeError('Failed to fetch')
			const token = `token of ${event.sessionId} after ${sent.length}`
			const accepted = { token, nextBeatMs, live }
			return { status: 202, retryAfterMs: null, accepted, problem: undefined, ...answer }
		},
		postOnLeaving: (body) => void read(body, 'beacon'),
		openLog() {
			script = openScript()
			script.start(0)
			script.play(1_000)
			return { state: script.state, idleMs: script.log.idleMs }
		},
		onLive: (count) => void lives.push(count),
		...options,
	})
	/** Lets answers arrive. */
	const settle = async () => {
		for (let i = 0; i < 5; i++) await Promise.resolve()
	}
	const pass = async (ms: number, move: (ms: number) => void) => {
		const end = clockMs + ms
		for (;;) {
			await settle()
			const due = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
			const until = Math.max(clockMs, due?.at ?? end)
			move(until - clockMs)
			clockMs = until
			if (!due) return settle()
			timers.delete(due)
			due.callback()
		}
	}
	/** The video plays. */
	const play = (ms: number) => pass(ms, (part) => script.play(part))
	const take = () => sent.splice(0)
	return Object.assign(world, {
		beats,
		sent,
		bodies,
		lives,
		script: () => script,
		play,
		/** Nothing plays. */
		wait: (ms: number) => pass(ms, (part) => script.wait(part)),
		/** The machine sleeps: only the wall clock goes on. */
		sleep(ms: number) {
			sleptMs += ms
		},
		/** Answers that the server rejects the event. */
		reject(problem: EventProblemCode) {
			world.answer = () => ({ accepted: undefined, problem })
		},
		/** Answers with an error. */
		refuse(status: number, retryAfterMs: number | null = null) {
			world.answer = () => ({ status, retryAfterMs, accepted: undefined })
		},
		/** Takes what was sent since the last call. */
		take,
		/** Starts a session, and takes its first report. */
		async begin() {
			beats.begin()
			await play(1)
			return take()[0]
		},
		kinds: () => sent.splice(0).map(({ kind }) => kind),
		/** Like `kinds`, each with its session. */
		reports: () => sent.splice(0).map(({ kind, sessionId }) => `${kind} of ${sessionId}`),
	})
}
