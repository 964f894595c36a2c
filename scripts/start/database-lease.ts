import type { Client } from '@libsql/client'
import type { Console } from '../lib/console/console.ts'
import { StartFailure } from '../lib/installation/failure.ts'
import { openLeaseFile } from './lease-file.ts'

export type LeaseTimes = { leaseSeconds: number; renewEveryMs: number }

/** Three renewals may fail before another installation can claim the lease. */
const TIMES: LeaseTimes = { leaseSeconds: 60, renewEveryMs: 15_000 }

export type DatabaseLease = {
	/** Resolves when another installation has claimed the lease. */
	lost: Promise<void>
	/** Ends the lease, so that another installation can start at once. */
	release(): Promise<void>
}

type Options = {
	dataDir: string
	variables: Record<string, string>
	out: Pick<Console, 'log'>
	times?: LeaseTimes
}

// Left out of backups by its name (edge/operations/backups/run/left-out.ts). No migration creates it: the lease comes first.
const createTable = `create table if not exists installation_lease (
	id integer primary key check (id = 1),
	holder text not null,
	term integer not null,
	expires_at integer not null
)`

/**
 * Claims the lease, or renews it. One statement, and times by the clock of the database. An installation claims its own lease
 * from a run that was killed: its data directory is locked, so that run has ended. A copy of the data directory knows an
 * older term only.
 */
const claimSql = `insert into installation_lease (id, holder, term, expires_at)
	values (1, :holder, :term, unixepoch() + :seconds)
	on conflict (id) do update set
		holder = excluded.holder,
		term = max(term, excluded.term - 1) + 1,
		expires_at = excluded.expires_at
	where expires_at <= unixepoch() or (holder = excluded.holder and term <= excluded.term)
	returning term`

/**
 * Makes this the only `npm start` on a libSQL database. A second one would have a vault of its own, so it would repair the
 * database as after a restore, and lock the first out. Returns undefined without libSQL: then DATA_DIR has the database.
 */
export async function claimDatabaseLease(options: Options): Promise<DatabaseLease | undefined> {
	const { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken } = options.variables
	if (!url) return undefined
	// Its packages hold 25 MB, so they are loaded only where they are needed.
	const { connect } = await import('../migrate/main.ts')
	const client = connect({ url, authToken })
	try {
		return await keepLease(client, options)
	} catch (error) {
		client.close()
		throw error
	}
}

async function keepLease(client: Client, { dataDir, out, times = TIMES }: Options): Promise<DatabaseLease> {
	const { leaseSeconds, renewEveryMs } = times
	const file = await openLeaseFile(dataDir)
	const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
	/** The term is on the disk before it is in the database, so a run that is killed never knows an older one. */
	const claim = async (): Promise<boolean> => {
		const term = file.term + 1
		await file.write(term)
		const args = { holder: file.holder, term, seconds: leaseSeconds }
		const [row] = (await client.execute({ sql: claimSql, args })).rows
		// Refused starts of a copied data directory must not raise its term to that of the original.
		const nextTerm = row ? Number(row.term) : term - 1
		if (nextTerm !== term) await file.write(nextTerm)
		return row !== undefined
	}

	if (!(await firstClaim(client, claim))) throw await databaseInUseError(client)
	let renewal: Promise<void> = Promise.resolve()
	const renew = async () => {
		try {
			if (await claim()) return
			clearInterval(timer)
			lose()
		} catch (error) {
			out.log('warn', `the lease of the database could not be renewed: ${(error as Error).message}`)
		}
	}
	const timer = setInterval(() => {
		renewal = renewal.then(renew)
	}, renewEveryMs)
	return {
		lost,
		async release() {
			clearInterval(timer)
			await renewal
			const sql = 'delete from installation_lease where holder = ? and term = ?'
			// A database that does not answer ends the lease by itself.
			await client.execute({ sql, args: [file.holder, file.term] }).catch(() => {})
			client.close()
		},
	}
}

async function firstClaim(client: Client, claim: () => Promise<boolean>): Promise<boolean> {
	try {
		await client.execute(createTable)
		return await claim()
	} catch (error) {
		const { message, cause } = error as Error
		const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
		throw new StartFailure(
			`LIBSQL_URL: the database does not respond (${reason}); start its server, or correct LIBSQL_URL and LIBSQL_AUTH_TOKEN`,
		)
	}
}

async function databaseInUseError(client: Client): Promise<StartFailure> {
	const sql = 'select max(expires_at - unixepoch(), 1) as seconds from installation_lease'
	const [row] = (await client.execute(sql)).rows
	return new StartFailure(
		`LIBSQL_URL: another installation uses this database; stop it, or set LIBSQL_URL to another database. If it was killed, start again in ${row?.seconds ?? 1} s`,
	)
}
