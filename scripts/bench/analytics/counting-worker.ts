import { createApp } from '../../../edge/app.ts'
import { takeCounted, wrapBindings } from './counters.ts'
import { alarms } from './counting-object.ts'

export { LiveStreams } from '../../../edge/platform/live-streams/live-streams.ts'
export { Fleet } from '../../../edge/video/fleet/fleet-object.ts'
export { ResumableUpload } from '../../../edge/video/uploads/tus/upload-object.ts'
export { OrgAnalytics } from '../../../edge/watch/analytics/org/org-object.ts'
export { PlaybackSessions } from '../../../edge/watch/analytics/sessions/session-object.ts'

const app = createApp()
type Env = Parameters<typeof app.fetch>[1] & object
type Alarmed = { fireAlarm(): Promise<void> }
type Namespace = { idFromString(id: string): object; get(id: object): Alarmed }

/** The bindings of the objects that set alarms, by their classes. */
const bindings: Record<string, string> = {
	OrgAnalytics: 'ORG_ANALYTICS',
	PlaybackSessions: 'PLAYBACK_SESSIONS',
}

/** Sets the clock of the Worker and its objects to the one of the benchmark. */
function setClock(request: Request): void {
	const at = Number(request.headers.get('x-now'))
	if (at > 0) Date.now = () => at
}

/**
 * Our Worker on the clock of its caller. POST /alarm fires the earliest alarm that is due, and returns its time;
 * GET /operations returns the counts since the last call.
 */
export default {
	async fetch(request: Request, env: Env, ctx: Parameters<typeof app.fetch>[2]) {
		setClock(request)
		const { pathname } = new URL(request.url)
		if (pathname === '/operations') return Response.json(takeCounted())
		if (pathname === '/alarm') return Response.json({ firedAt: await fireAlarm(env) })
		return app.fetch(request, wrapBindings(env), ctx)
	},
}

async function fireAlarm(env: Env): Promise<number | null> {
	const now = Date.now()
	const [first] = [...alarms].filter(([, { at }]) => at <= now).toSorted(([, a], [, b]) => a.at - b.at)
	if (!first) return null
	const [id, { at, className }] = first
	alarms.delete(id)
	Date.now = () => at
	const namespace = (env as Record<string, unknown>)[bindings[className] ?? className] as Namespace
	await namespace.get(namespace.idFromString(id)).fireAlarm()
	return at
}
