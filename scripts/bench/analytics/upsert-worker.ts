import type { D1Database } from '@cloudflare/workers-types'

type Event = {
	kind: string
	playbackId: string
	sessionId: string
	state: { seq: number; watchedMs: number }
}

/** The smallest design that keeps the newest state of each session: one statement of D1 for each report. */
export default {
	async fetch(request: Request, { DB }: { DB: D1Database }): Promise<Response> {
		const { events } = (await request.json()) as { events: Event[] }
		for (const { playbackId, sessionId, state } of events)
			await DB.prepare(
				`insert into playback_sessions (id, playback_id, seq, state, started_at, reported_at) values (?, ?, ?, ?, ?, ?)
				on conflict (id) do update set seq = excluded.seq, state = excluded.state, reported_at = excluded.reported_at
				where excluded.seq > seq`,
			)
				.bind(sessionId, playbackId, state.seq, JSON.stringify(state), Date.now(), Date.now())
				.run()
		return Response.json({ data: { accepted: events.length, nextBeatMs: 10_000 } }, { status: 202 })
	},
}
