import { DurableObject } from 'cloudflare:workers'
import { DAY, systemClock } from '../../../platform/clock.ts'
import type { Result, Statement } from '../../../platform/database/d1-binding.ts'
import type { Bindings } from '../../../platform/env.ts'
import type { Value } from '../format/lines.ts'
import type { Compared } from '../restore/compare-rows.ts'
import type { TableHashes } from '../restore/row-set-hash.ts'

/** The next step and its progress. */
export type DrillProgress =
	| { step: 'create' }
	/** Replaces all later steps if only the recipient can read the backup. */
	| { step: 'check'; chunks: number }
	/** `chunks`: the number left; the last chunk is loaded first. */
	| { step: 'load'; chunks: number; hashes: TableHashes }
	| { step: 'index'; indexes: number; hashes: TableHashes }
	| { step: 'compare'; restoreSeconds: number; hashes: TableHashes; compared: Compared }
	| { step: 'count'; restoreSeconds: number; counter: number; afterRowid: number }

export type Drill = {
	backupId: string
	startedAt: number
	/** Raised by each attempt, which fences off writes of earlier ones. */
	attempt: number
	/** The number of attempts since the last completed step. */
	failures: number
	/** When the sweep may retry the drill. */
	dueAt: number
	progress: DrillProgress
	/** Why the drill failed. Set until the result is recorded. */
	error?: string
}

/** The database is emptied after this time without progress, for example because the Worker no longer runs. */
const ABANDONED_MS = 2 * DAY

/**
 * The scratch database into which backups are restored to verify them. There is one, with one drill at a time. It also stores
 * the next step of the drill, so that data and progress change in one transaction.
 */
export class BackupDrill extends DurableObject<Bindings> {
	/** Begins a drill. Returns null if one is running. */
	async begin(backupId: string, startedAt: number, dueAt: number): Promise<Drill | null> {
		if (this.find()) return null
		await this.#empty()
		return this.#keep({
			...{ backupId, startedAt, dueAt, attempt: 0, failures: 0, progress: { step: 'create' } },
		})
	}

	find(): Drill | null {
		return this.ctx.storage.kv.get<Drill>('drill') ?? null
	}

	/** Begins the next attempt, unless another one has begun since. */
	async claimStep(backupId: string, attempt: number, dueAt: number): Promise<Drill | null> {
		const drill = this.#findOwn(attempt)
		if (drill?.backupId !== backupId) return null
		await this.#setAlarm()
		return this.#keep({ ...drill, attempt: attempt + 1, failures: drill.failures + 1, dueAt })
	}

	/** Runs statements and stores the next step, in one transaction. Returns null if another attempt has begun. */
	run(
		attempt: number,
		statements: readonly Statement[],
		moved: Pick<Drill, 'progress' | 'dueAt'> | null,
	): Result[] | null {
		return this.ctx.storage.transactionSync(() => {
			const drill = this.#findOwn(attempt)
			if (!drill) return null
			if (moved) this.#keep({ ...drill, ...moved, failures: 0 })
			return statements.map(({ sql, args }) => {
				const cursor = this.ctx.storage.sql.exec(sql, ...args)
				return { columns: cursor.columnNames, rows: [...cursor.raw<Value[]>()] }
			})
		})
	}

	/**
	 * Empties the database and stores why the drill failed. Returns false if another attempt has begun. If this crashes halfway,
	 * the drill is lost and another one is started.
	 */
	async fail(attempt: number, error: string): Promise<boolean> {
		const drill = this.#findOwn(attempt)
		if (!drill) return false
		await this.#empty()
		this.#keep({ ...drill, error })
		await this.#setAlarm()
		return true
	}

	/** Ends the drill and empties the database, unless another attempt has begun. */
	async end(attempt: number): Promise<void> {
		if (this.#findOwn(attempt)) await this.#empty()
	}

	override async alarm(): Promise<void> {
		await this.#empty()
	}

	#findOwn(attempt: number): Drill | null {
		const drill = this.find()
		return drill?.attempt === attempt ? drill : null
	}

	#keep(drill: Drill): Drill {
		this.ctx.storage.kv.put('drill', drill)
		return drill
	}

	#setAlarm(): Promise<void> {
		return this.ctx.storage.setAlarm(systemClock() + ABANDONED_MS)
	}

	async #empty(): Promise<void> {
		await this.ctx.storage.deleteAlarm()
		await this.ctx.storage.deleteAll()
	}
}
