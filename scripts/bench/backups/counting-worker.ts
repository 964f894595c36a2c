import type { D1Database, D1PreparedStatement, D1Result, R2Bucket } from '@cloudflare/workers-types'
import { BackupDrill as PlainDrill } from '../../../edge/operations/backups/drill/drill-object.ts'
import worker from '../../../edge/worker.ts'
import { replaceMethods } from '../analytics/counters.ts'

export { LiveStreams } from '../../../edge/platform/live-streams/live-streams.ts'
export { Metrics } from '../../../edge/platform/metrics/metrics-object.ts'
export { Fleet } from '../../../edge/video/fleet/fleet-object.ts'
export { ResumableUpload } from '../../../edge/video/uploads/tus/upload-object.ts'
export { OrgAnalytics } from '../../../edge/watch/analytics/org/org-object.ts'
export { PlaybackSessions } from '../../../edge/watch/analytics/sessions/session-object.ts'

/** The operations that Cloudflare charges for. */
export type Operations = {
	statements: number
	rowsRead: number
	rowsWritten: number
	objectRowsRead: number
	objectRowsWritten: number
	/** R2: writes and lists are class A, reads class B. */
	classA: number
	classB: number
	messages: number
}

const none = (): Operations => ({
	...{ statements: 0, rowsRead: 0, rowsWritten: 0, objectRowsRead: 0, objectRowsWritten: 0 },
	...{ classA: 0, classB: 0, messages: 0 },
})
/** Shared by the Worker and its objects, which run in one isolate here. */
let operations = none()

type Env = Parameters<typeof worker.fetch>[1] & { DB: D1Database; VAULT: R2Bucket }
const countingEnvs = new WeakMap<object, Env>()

/** Returns the same bindings for the same environment, as the Worker caches what it has parsed. */
function countingEnv(env: Env): Env {
	const known = countingEnvs.get(env)
	if (known) return known
	const counting = { ...env, DB: countingDatabase(env.DB), VAULT: countingBucket(env.VAULT) }
	countingEnvs.set(env, counting)
	return counting
}

const inners = new WeakMap<object, D1PreparedStatement>()
const count = <Result extends { meta: D1Result['meta'] }>(result: Result): Result => {
	operations.statements++
	operations.rowsRead += result.meta.rows_read
	operations.rowsWritten += result.meta.rows_written
	return result
}

function countingDatabase(database: D1Database): D1Database {
	const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
		const own = replaceMethods(statement, {
			bind: (...values: unknown[]) => wrap(statement.bind(...values)),
			run: async () => count(await statement.run()),
			all: async () => count(await statement.all()),
			// A raw response has no count of rows.
			raw: async () =>
				count(await statement.all<Record<string, unknown>>()).results.map((row) => Object.values(row)),
		})
		inners.set(own, statement)
		return own
	}
	return replaceMethods(database, {
		prepare: (sql: string) => wrap(database.prepare(sql)),
		batch: async (statements: D1PreparedStatement[]) =>
			(await database.batch(statements.map((each) => inners.get(each) ?? each))).map(count),
	})
}

type Method = (...args: unknown[]) => unknown

function countingBucket(bucket: R2Bucket): R2Bucket {
	const counted = (name: 'put' | 'list' | 'get' | 'head', kind: 'classA' | 'classB') => ({
		[name]: (...args: unknown[]) => {
			operations[kind]++
			return Reflect.apply(bucket[name] as Method, bucket, args)
		},
	})
	return replaceMethods(bucket, {
		...{ ...counted('put', 'classA'), ...counted('list', 'classA') },
		...{ ...counted('get', 'classB'), ...counted('head', 'classB') },
	})
}

/** Counts the rows of the scratch database. */
export class BackupDrill extends PlainDrill {
	constructor(ctx: ConstructorParameters<typeof PlainDrill>[0], env: never) {
		super(ctx, env)
		const { storage } = ctx
		const sql = replaceMethods(storage.sql, {
			exec: (text: string, ...values: never[]) => {
				const cursor = storage.sql.exec(text, ...values)
				const rows = cursor.raw()
				return {
					columnNames: cursor.columnNames,
					*raw() {
						yield* rows
						operations.objectRowsRead += cursor.rowsRead
						operations.objectRowsWritten += cursor.rowsWritten
					},
				}
			},
		})
		Object.defineProperty(this, 'ctx', {
			value: replaceMethods(ctx, { storage: replaceMethods(storage, { sql }) }),
		})
	}
}

/** Our Worker. GET /operations returns the counts since the last call. */
export default {
	fetch(request: Request, env: Env, ctx: Parameters<typeof worker.fetch>[2]) {
		if (new URL(request.url).pathname !== '/operations')
			return worker.fetch(request as never, countingEnv(env), ctx)
		const taken = operations
		operations = none()
		return Response.json(taken)
	},
	queue(batch: Parameters<typeof worker.queue>[0], env: Env, ctx: Parameters<typeof worker.queue>[2]) {
		operations.messages += batch.messages.length
		return worker.queue(batch, countingEnv(env) as never, ctx)
	},
}
