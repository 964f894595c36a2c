// Runs inside workerd for the scripts: executes SQL statements and runs scheduled handlers. Miniflare offers both, but
// calls them partly synchronously. That causes a deadlock: workerd waits until its log is read, and this process waits
// for workerd instead of reading the log.
export const Control = {
	async fetch(request, env) {
		if (request.headers.get('authorization') !== env.CONTROL_SECRET)
			return new Response(null, { status: 404 })
		try {
			return Response.json(await execute(await request.json(), env))
		} catch (error) {
			return Response.json({ error: error.message }, { status: 500 })
		}
	},
}

async function execute({ statements, reads, scheduled }, env) {
	if (scheduled) {
		const { cron, scheduledFor } = scheduled
		return env.SCHEDULED.scheduled({ cron, scheduledTime: new Date(scheduledFor) })
	}
	if (reads) return readAll(reads, env.DB)
	const prepared = statements.map(({ sql, values = [] }) => env.DB.prepare(sql).bind(...values))
	return (await env.DB.batch(prepared)).map(({ results }) => results)
}

/** Rows are arrays: an object loses columns with equal names, and moves a column whose name is a number to the front. */
async function readAll(reads, database) {
	const results = []
	for (const { sql, values = [] } of reads) {
		const [columns, ...rows] = await database
			.prepare(sql)
			.bind(...values)
			.raw({ columnNames: true })
		results.push({ columns, rows })
	}
	return results
}
