// Bundled instead of `cloudflare:workers` by workers.ts.
export * from 'cloudflare:workers'

import { DurableObject as PlainObject } from 'cloudflare:workers'
import { addAmount, readCounted, replaceMethods, wrapBindings } from './counters.ts'

type Context = ConstructorParameters<typeof PlainObject>[0]
type Sql = Context['storage']['sql']

type Alarm = { at: number; className: string }

/** The alarms of all objects, by their ids, on the clock of the benchmark. */
export const alarms = new Map<string, Alarm>()

/** Counts rows and requests of objects, and keeps their alarms for the benchmark, whose clock is faster than ours. */
export class DurableObject<Env extends object> extends PlainObject<Env> {
	constructor(ctx: Context, env: Env) {
		super(ctx, env)
		Object.defineProperty(this, 'ctx', { value: countingContext(ctx, this.constructor.name) })
		Object.defineProperty(this, 'env', { value: wrapBindings(env) })
	}

	/** Called by the benchmark when the alarm is due. */
	async fireAlarm(): Promise<void> {
		readCounted().alarms++
		await (this as unknown as { alarm(): Promise<void> }).alarm()
	}
}

function countingContext(ctx: Context, className: string): Context {
	const { storage } = ctx
	const id = ctx.id.toString()
	const countRow = (by: string) => addAmount(readCounted().objectRowsWritten, `${className} ${by}`, 1)
	return replaceMethods(ctx, {
		storage: replaceMethods(storage, {
			sql: countingSql(storage.sql, className),
			kv: replaceMethods(storage.kv, {
				put: (key: string, value: unknown) => {
					countRow(`put ${key}`)
					storage.kv.put(key, value)
				},
				delete: (key: string) => {
					const isDeleted = storage.kv.delete(key)
					if (isDeleted) countRow(`delete ${key}`)
					return isDeleted
				},
			}),
			getAlarm: async () => alarms.get(id)?.at ?? null,
			setAlarm: async (at: number) => {
				countRow('setAlarm')
				alarms.set(id, { at, className })
			},
			deleteAlarm: async () => void alarms.delete(id),
		}),
	})
}

const countingSql = (sql: Sql, className: string): Sql =>
	replaceMethods(sql, {
		exec: (text: string, ...values: never[]) => {
			const cursor = sql.exec(text, ...values)
			const by = /^\s*(create table|(?:insert or replace|insert|delete|replace|update)\s+\w+ \w+)/i.exec(
				text,
			)?.[1]
			addAmount(readCounted().objectRowsWritten, `${className} ${by ?? 'other'}`, cursor.rowsWritten)
			readCounted().objectRowsRead += cursor.rowsRead
			return cursor
		},
	})
