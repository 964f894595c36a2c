import type { Client } from '@libsql/client'
import { createClient } from '@libsql/client/web'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { drizzle as drizzleD1 } from 'drizzle-orm/d1'
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql/web'
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import type { Env } from '../env.ts'
import { fetchDatabase } from './database-unavailable.ts'

/**
 * The operations that D1 and libSQL share. D1 has no interactive transactions, so `batch` is the only transaction, and
 * checks must be conditions within the statements.
 */
export type Db = Omit<BaseSQLiteDatabase<'async', unknown>, 'transaction' | 'run' | 'batch'> & {
	batch<const T extends Readonly<[BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]]>>(
		items: T,
	): Promise<BatchResponse<T>>
}

/** Called for each statement that is sent, so that logs and tests can count statements. */
export type OnStatement = (sql: string) => void

// Must match drizzle.config.ts, which generates the column names of the migrations.
const options = { casing: 'snake_case' } as const

export const d1Database = (binding: D1Database, onStatement: OnStatement): Db =>
	drizzleD1(watchD1(binding, onStatement), options) as unknown as Db

export const libsqlDatabase = (client: Client, onStatement: OnStatement): Db =>
	drizzleLibsql(watchLibsql(client, onStatement), options) as unknown as Db

export function openDatabase(env: Env, onStatement: OnStatement): Db {
	const { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken } = env.vars
	if (!url) return d1Database(env.bindings.DB as D1Database, onStatement)
	// Each request has its own client, without a persistent connection. With a shared one, a request could wait for
	// another's response, which workerd would cancel as hung.
	return libsqlDatabase(
		createClient({ url, fetch: fetchDatabase, ...(authToken && { authToken }) }),
		onStatement,
	)
}

// Drizzle prepares each statement exactly once before sending it, alone or in a batch.
const watchD1 = (binding: D1Database, onStatement: OnStatement): D1Database =>
	({
		prepare(sql: string) {
			onStatement(sql)
			return binding.prepare(sql)
		},
		batch: (statements: D1PreparedStatement[]) => binding.batch(statements),
	}) as D1Database

const watchLibsql = (client: Client, onStatement: OnStatement): Client =>
	({
		execute(statement: Parameters<Client['execute']>[0]) {
			onStatement(sqlOf(statement))
			return client.execute(statement)
		},
		batch(statements: Parameters<Client['batch']>[0]) {
			const texts = statements.map(sqlOf)
			texts.forEach(onStatement)
			// Drizzle requests a deferred transaction, which fails with SQLITE_BUSY if it writes after a concurrent write.
			// A write transaction takes the lock at its start and waits.
			return client.batch(
				statements,
				texts.every((text) => /^\s*select\b/i.test(text)) ? 'deferred' : 'write',
			)
		},
	}) as Client

function sqlOf(statement: Parameters<Client['batch']>[0][number]): string {
	if (typeof statement === 'string') return statement
	return Array.isArray(statement) ? statement[0] : statement.sql
}
