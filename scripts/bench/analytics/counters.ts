import type { D1Database, D1PreparedStatement, D1Result } from '@cloudflare/workers-types'

/** The operations that Cloudflare charges for, besides Worker requests and CPU time. */
export type Operations = {
	/** Calls of objects by their methods. */
	objectRequests: Record<string, number>
	alarms: number
	/** By the class of the object and the statement or call that wrote them. */
	objectRowsWritten: Record<string, number>
	objectRowsRead: number
	databaseStatements: number
	databaseRowsWritten: number
}

const none = (): Operations => ({
	...{ objectRequests: {}, alarms: 0, objectRowsWritten: {}, objectRowsRead: 0 },
	...{ databaseStatements: 0, databaseRowsWritten: 0 },
})

/** Shared by the Worker and its objects, which run in one isolate here. */
let operations = none()

export const readCounted = (): Operations => operations

export function takeCounted(): Operations {
	const taken = operations
	operations = none()
	return taken
}

export function addAmount(amounts: Record<string, number>, key: string, amount: number): void {
	if (amount > 0) amounts[key] = (amounts[key] ?? 0) + amount
}

type Method = (...args: unknown[]) => unknown
type Namespace = { getByName(name: string): object }

/** Returns bindings that count the calls of their objects and the statements of their databases. */
export function wrapBindings<Env extends object>(env: Env): Env {
	const counting = Object.entries(env).map(([name, binding]) => {
		if (typeof binding?.getByName === 'function') return [name, countingNamespace(name, binding)]
		if (typeof binding?.prepare === 'function') return [name, countingDatabase(binding)]
		return [name, binding]
	})
	return Object.fromEntries(counting)
}

function countingNamespace(binding: string, namespace: Namespace): Namespace {
	return replaceMethods(namespace, {
		getByName: (name: string) =>
			new Proxy(namespace.getByName(name), {
				get(stub, key) {
					const method = Reflect.get(stub, key) as unknown
					if (typeof method !== 'function' || typeof key !== 'string') return method
					return (...args: unknown[]) => {
						addAmount(operations.objectRequests, `${binding}.${key}`, 1)
						return Reflect.apply(method as Method, stub, args)
					}
				},
			}),
	})
}

const inners = new WeakMap<object, D1PreparedStatement>()
const count = <Result extends { meta: D1Result['meta'] }>(result: Result): Result => {
	operations.databaseStatements++
	operations.databaseRowsWritten += result.meta.rows_written
	return result
}

function countingDatabase(database: D1Database): D1Database {
	const wrap = (statement: D1PreparedStatement, isRead: boolean): D1PreparedStatement => {
		const own = replaceMethods(statement, {
			bind: (...values: unknown[]) => wrap(statement.bind(...values), isRead),
			run: async () => count(await statement.run()),
			all: async () => count(await statement.all()),
			// A raw response has no count of rows.
			raw: async (options?: object) => {
				if (isRead) {
					operations.databaseStatements++
					return statement.raw(options as never)
				}
				const { results } = count(await statement.all<Record<string, unknown>>())
				return results.map((row) => Object.values(row))
			},
		})
		inners.set(own, statement)
		return own
	}
	return replaceMethods(database, {
		prepare: (sql: string) => wrap(database.prepare(sql), /^\s*(select|with)\b/i.test(sql)),
		batch: async (statements: D1PreparedStatement[]) =>
			(await database.batch(statements.map((each) => inners.get(each) ?? each))).map(count),
	})
}

/** Returns a view of an object with some methods replaced. The others keep their `this`. */
export function replaceMethods<T extends object>(target: T, replaced: Record<string, unknown>): T {
	return new Proxy(target, {
		get(_, key) {
			if (typeof key === 'string' && Object.hasOwn(replaced, key)) return replaced[key]
			const value = Reflect.get(target, key) as unknown
			return typeof value === 'function' ? value.bind(target) : value
		},
	})
}
