import worker from '../../../../edge/worker.ts'
import { SQL_PATH, type WorkerPoint } from '../../../support/shared/worker-points.ts'

export * from '../../../../edge/worker.ts'

type Env = Parameters<typeof worker.queue>[1] & { DB: D1Database; CHAOS: Fetcher }

/** The points of a Worker, by the first statement of each. */
const statements: readonly [WorkerPoint, RegExp][] = [
	['claim', /with recursive proved/],
	['advance', /^update "jobs" set "version" = "jobs"\."version" \+ 1/],
	['plan', /^update "jobs" set .*"planned_at" = \?/],
	['complete', /^update "tasks" set .*"result" = \?/],
	['publish', /^update "jobs" set .*"published_version" = \?/],
]
const pointOf = (sql: string) => statements.find(([, pattern]) => pattern.test(sql.trim()))?.[0]

/** The Worker with a queue that delivers every message twice, and bindings that report each point to `CHAOS`. */
export default {
	fetch: (request: Request, env: Env, ctx: ExecutionContext) =>
		new URL(request.url).pathname === SQL_PATH
			? runSql(request, env)
			: worker.fetch(request, reportingEnv(env), ctx),
	async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
		await worker.queue(batch, reportingEnv(env), ctx)
		await worker.queue(batch, reportingEnv(env), ctx)
	},
	scheduled: (event: ScheduledController, env: Env, ctx: ExecutionContext) =>
		worker.scheduled(event, reportingEnv(env), ctx),
}

/** Runs a statement of the test. */
async function runSql(request: Request, { DB: db }: Env): Promise<Response> {
	const { sql, values } = await request.json<{ sql: string; values: unknown[] }>()
	const { results } = await db
		.prepare(sql)
		.bind(...values)
		.all()
	return Response.json(results)
}

const envs = new WeakMap<Env, Env>()

function reportingEnv(env: Env): Env {
	let reporting = envs.get(env)
	if (!reporting) {
		reporting = { ...env, DB: reportingDatabase(env), MEDIA: reportingBucket(env) }
		envs.set(env, reporting)
	}
	return reporting
}

/** Reports a point. The receiver may kill the Worker before it answers. */
async function report({ CHAOS }: Env, when: 'before' | 'after', point: WorkerPoint): Promise<void> {
	await (await CHAOS.fetch('http://chaos/', { method: 'POST', body: `${when} ${point}` })).arrayBuffer()
}

async function reportAround<T>(env: Env, sql: string, send: () => Promise<T>): Promise<T> {
	const point = pointOf(sql)
	if (!point) return send()
	await report(env, 'before', point)
	const result = await send()
	// A claim that found no task has no end to report.
	if (point !== 'claim' || (Array.isArray(result) && result.length > 0)) await report(env, 'after', point)
	return result
}

type Inner = { statement: D1PreparedStatement; sql: string }

function reportingDatabase(env: Env): D1Database {
	const { DB: db } = env
	const inners = new WeakMap<object, Inner>()
	const wrap = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
		const own = {
			bind: (...values: unknown[]) => wrap(statement.bind(...values), sql),
			all: () => reportAround(env, sql, () => statement.all()),
			raw: () => reportAround(env, sql, () => statement.raw()),
			run: () => reportAround(env, sql, () => statement.run()),
			first: () => reportAround(env, sql, () => statement.first()),
		} as unknown as D1PreparedStatement
		inners.set(own, { statement, sql })
		return own
	}
	return {
		prepare: (sql: string) => wrap(db.prepare(sql), sql),
		batch(statements: D1PreparedStatement[]) {
			const all = statements.map((statement) => inners.get(statement) as Inner)
			const sql = all.find((each) => pointOf(each.sql))?.sql ?? ''
			return reportAround(env, sql, () => db.batch(all.map(({ statement }) => statement)))
		},
	} as unknown as D1Database
}

function reportingBucket(env: Env): R2Bucket {
	const { MEDIA: bucket } = env
	return new Proxy(bucket, {
		get(target, name) {
			const value = Reflect.get(target, name)
			if (typeof value !== 'function') return value
			if (name !== 'put') return value.bind(target)
			return async (...args: Parameters<R2Bucket['put']>) => {
				if (!/\/master-\d+\.m3u8$/.test(args[0])) return bucket.put(...args)
				await report(env, 'before', 'playlist')
				const stored = await bucket.put(...args)
				await report(env, 'after', 'playlist')
				return stored
			}
		},
	})
}
