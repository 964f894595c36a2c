import { createD1Binding, type Result, type Statement } from '../../../platform/database/d1-binding.ts'
import { type Db, d1Database } from '../../../platform/database/database.ts'
import type { Value } from '../format/lines.ts'
import { StoppedError } from '../run/run.ts'
import type { Drill, DrillProgress } from './drill-object.ts'
import type { DrillStub } from './drill-stub.ts'

/** A Durable Object allows 100 bound parameters per statement. */
export const PARAMETERS_AT_ONCE = 100

/** Errors caused by the backup's rows, schema or size. A retry would fail too. */
const rejections = /SQLITE_(CONSTRAINT|CORRUPT|ERROR|FULL|MISMATCH|TOOBIG)/

export class RefusedStatementError extends Error {
	override name = 'RefusedStatementError'

	constructor(message?: string) {
		super(`the scratch database refused a statement: ${message}`)
	}
}

/** The scratch database, as used by one attempt at a drill. Throws `StoppedError` once another attempt has begun. */
export class ScratchDatabase {
	readonly #stub: DrillStub
	readonly #attempt: number
	readonly #leaseEnd: () => number
	/** For statements that the rest of the Worker defines. */
	readonly db: Db = d1Database(
		createD1Binding((statements) => this.#run(statements, null)),
		() => {},
	)
	/** The number of calls to the object. A Worker may make a limited number per message. */
	calls = 0
	progress: DrillProgress

	constructor(stub: DrillStub, drill: Drill, leaseEnd: () => number) {
		this.#stub = stub
		this.#attempt = drill.attempt
		this.#leaseEnd = leaseEnd
		this.progress = drill.progress
	}

	async query(statements: readonly Statement[]): Promise<Value[][][]> {
		return (await this.#run(statements, null)).map(({ rows }) => rows)
	}

	/** Runs statements and stores the next step in one transaction. */
	async move(progress: DrillProgress, statements: readonly Statement[] = []): Promise<void> {
		await this.#run(statements, progress)
		this.progress = progress
	}

	async end(): Promise<void> {
		await this.#stub.end(this.#attempt)
	}

	async #run(statements: readonly Statement[], progress: DrillProgress | null): Promise<Result[]> {
		this.calls++
		const moved = progress && { progress, dueAt: this.#leaseEnd() }
		const results = await this.#stub.run(this.#attempt, statements, moved).catch((error: Error) => {
			if (rejections.test(error.message)) throw new RefusedStatementError(error.message)
			throw error
		})
		if (!results) throw new StoppedError()
		return results
	}
}
