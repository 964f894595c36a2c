// What the scripts outside need done inside: statements on the database, runs of the schedule, and opening the door.
// Miniflare offers the first two, but it calls some of it synchronously: a runtime that waits for its log to be read, and a process that waits
// for the runtime instead of reading, would wait for each other for ever.
export default {
	async fetch(request, env) {
		if (request.headers.get('authorization') !== env.SECRET) return new Response(null, { status: 404 })
		try {
			return Response.json(await answer(await request.json(), env))
		} catch (error) {
			return Response.json({ error: error.message }, { status: 500 })
		}
	},
}

async function answer({ statements, scheduled, open }, env) {
	if (open) return (await env.LATCH.fetch('http://latch/')).ok
	if (scheduled) {
		const { cron, scheduledFor } = scheduled
		return env.EDGE.scheduled({ cron, scheduledTime: new Date(scheduledFor) })
	}
	const prepared = statements.map(({ sql, values = [] }) => env.DB.prepare(sql).bind(...values))
	return (await env.DB.batch(prepared)).map(({ results }) => results)
}
