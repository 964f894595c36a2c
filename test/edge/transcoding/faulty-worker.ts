import worker from '../../../edge/worker.ts'
import type { WorkerPoint } from '../../support/shared/worker-points.ts'

export * from '../../../edge/worker.ts'

type Env = Parameters<typeof worker.queue>[1] & { DB: D1Database; CHAOS: Fetcher }

/** What a statement is about; of a claim that found nothing, the end is no point. */
const statements: readonly [WorkerPoint, RegExp][] = [
	['claim', /with recursive proved/],
	['advance', /^update "jobs" set "version" = "jobs"\."version" \+ 1/],
	['plan', /^update "jobs" set .*"planned_at" = \?/],
	['complete', /^update "tasks" set .*"result" = \?/],
	['publish', /^update "jobs" set .*"published_version" = \?/],
]
const pointOf = (sql: string) => statements.find(([, pattern]) => pattern.test(sql.trim()))?.[0]

/** The Worker as it is, but for a queue that hands over every message twice, and bindings that tell where it is. */
export default {
	fetch: (request: Request, env: Env, ctx: ExecutionContext) => worker.fetch(request, told(env), ctx),
	async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
		await worker.queue(batch, told(env), ctx)
		await worker.queue(batch, told(env), ctx)
	},
	scheduled: (event: ScheduledController, env: Env, ctx: ExecutionContext) =>
		worker.scheduled(event, told(env), ctx),
}

const envs = new WeakMap<Env, Env>()

function told(env: Env): Env {
	let made = envs.get(env)
	if (!made) {
		made = { ...env, DB: tellingDatabase(env), MEDIA: tellingBucket(env) }
		envs.set(env, made)
	}
	return made
}

/** Whoever listens may let it end here. */
async function tell({ CHAOS }: Env, when: 'before' | 'after', point: WorkerPoint): Promise<void> {
	await (await CHAOS.fetch('http://chaos/', { method: 'POST', body: `${when} ${point}` })).arrayBuffer()
}

async function around<T>(env: Env, sql: string, send: () => Promise<T>): Promise<T> {
	const point = pointOf(sql)
	if (!point) return send()
	await tell(env, 'before', point)
	const answer = await send()
	if (point !== 'claim' || (Array.isArray(answer) && answer.length > 0)) await tell(env, 'after', point)
	return answer
}

type Inner = { statement: D1PreparedStatement; sql: string }

function tellingDatabase(env: Env): D1Database {
	const { DB: db } = env
	const inners = new WeakMap<object, Inner>()
	const wrap = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
		const own = {
			bind: (...values: unknown[]) => wrap(statement.bind(...values), sql),
			all: () => around(env, sql, () => statement.all()),
			raw: () => around(env, sql, () => statement.raw()),
			run: () => around(env, sql, () => statement.run()),
			first: () => around(env, sql, () => statement.first()),
		} as unknown as D1PreparedStatement
		inners.set(own, { statement, sql })
		return own
	}
	return {
		prepare: (sql: string) => wrap(db.prepare(sql), sql),
		batch(statements: D1PreparedStatement[]) {
			const all = statements.map((statement) => inners.get(statement) as Inner)
			const said = all.find(({ sql }) => pointOf(sql))?.sql ?? ''
			return around(env, said, () => db.batch(all.map(({ statement }) => statement)))
		},
	} as unknown as D1Database
}

function tellingBucket(env: Env): R2Bucket {
	const { MEDIA: bucket } = env
	return new Proxy(bucket, {
		get(target, name) {
			const value = Reflect.get(target, name)
			if (typeof value !== 'function') return value
			if (name !== 'put') return value.bind(target)
			return async (...args: Parameters<R2Bucket['put']>) => {
				if (!/\/master-\d+\.m3u8$/.test(args[0])) return bucket.put(...args)
				await tell(env, 'before', 'playlist')
				const stored = await bucket.put(...args)
				await tell(env, 'after', 'playlist')
				return stored
			}
		},
	})
}
