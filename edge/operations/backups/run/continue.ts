import type { ContinueBackup } from '#schema/contract/messages.ts'
import { MINUTE } from '../../../platform/clock.ts'
import { listErrorCauses } from '../../../platform/database/causes.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { Secrets } from '../../../platform/tokens/secrets.ts'
import { deriveBackupKeys, newDataKey } from '../format/chunk.ts'
import { BACKUP_KEY } from '../format/signed-manifest.ts'
import type { BackupRow } from '../store.ts'
import { copyChanges } from './catch-up.ts'
import { planRun } from './plan-run.ts'
import { readTables } from './read-tables.ts'
import { type Run, SchemaChangedError, StoppedError } from './run.ts'
import { runStore } from './run-store.ts'
import { sourceStore } from './source-store.ts'
import { hasBackupId, isBackupTrigger } from './triggers.ts'

/** Longer than a message may run, so that two attempts rarely write at once. They may; the older one is ignored. */
export const STEP_LEASE_MS = 5 * MINUTE
/** Returns whether a step must be sent again. A lease that ends later than any can was taken while the clock was ahead. */
export const isOverdue = (dueAt: number, now: number): boolean =>
	dueAt <= now || dueAt > now + 2 * STEP_LEASE_MS
/** Other messages of the queue wait meanwhile, so a message does only a part of the work. */
const STEPS_A_MESSAGE = 10
/** D1 allows 1,000 in one invocation, of which a round of catching up and the removal of the triggers take about 500. */
const MAX_STATEMENTS = 400
const MAX_FAILURES = 8
const MAX_RESTARTS = 3

/** Runs the next steps of a backup, unless another message has. */
export async function continueBackup(deps: Deps, message: ContinueBackup): Promise<void> {
	const store = runStore(deps.db)
	const taken = await store.claimStep(
		{ id: message.backupId, attempt: message.attempt },
		deps.clock() + STEP_LEASE_MS,
	)
	if (!taken) return
	if (!deps.secrets) return failBackup(deps, taken, 'AUTH_SECRET is no longer set')
	if (taken.failures > MAX_FAILURES)
		return failBackup(deps, taken, `one step failed too many times${taken.error ? `: ${taken.error}` : ''}`)
	try {
		await takeSteps(deps, deps.secrets, taken)
	} catch (error) {
		if (error instanceof StoppedError) return
		if (error instanceof SchemaChangedError) return beginAgain(deps, taken)
		const message = [...listErrorCauses(error)].at(-1)?.message ?? String(error)
		await store.recordError(taken, message).catch(() => undefined)
		throw error
	}
}

async function takeSteps(deps: Deps, secrets: Secrets, row: BackupRow): Promise<void> {
	const taken = row.sealedKey === '' ? await setKey(deps, secrets, row) : row
	const dataKey = await secrets.unseal(BACKUP_KEY, taken.sealedKey, taken.id)
	if (dataKey === null) return failBackup(deps, taken, 'AUTH_SECRET was replaced while it ran')
	const run: Run = {
		deps,
		store: runStore(deps.db),
		source: sourceStore(deps.db),
		dataKey,
		keys: await deriveBackupKeys(dataKey),
		secrets,
		row: taken,
		leaseEnd: () => deps.clock() + STEP_LEASE_MS,
	}
	const { statements } = deps
	// The first step is always done: other messages of the batch may have used the statements.
	for (let step = 0; step === 0 || (step < STEPS_A_MESSAGE && statements.count < MAX_STATEMENTS); step++) {
		const { plan, tableIndex } = run.row
		const isFinished =
			plan === null
				? await planRun(run)
				: tableIndex < plan.tables.length
					? await readTables(run, plan)
					: await copyChanges(run, plan)
		if (isFinished) return dropTriggersAndChanges(deps)
	}
	await sendStep(deps, run.row)
}

/** A backup that `npm run deploy` has requested has no key yet, because only the Worker has AUTH_SECRET. */
async function setKey({ db, work }: Deps, secrets: Secrets, row: BackupRow): Promise<BackupRow> {
	const withKey = await runStore(db).setKey(work, row, await secrets.seal(BACKUP_KEY, newDataKey(), row.id))
	if (!withKey) throw new StoppedError()
	return withKey
}

export const sendStep = (
	deps: Pick<Deps, 'send'>,
	{ id, attempt }: Pick<BackupRow, 'id' | 'attempt'>,
): Promise<void> => deps.send({ type: 'backup.continue', backupId: id, attempt })

/** Ends a running backup. Attempts that still go on are ignored from now on. */
export async function failBackup(deps: Deps, row: BackupRow, why: string): Promise<void> {
	deps.log.error('backup failed', new Error(why), { backupId: row.id })
	await runStore(deps.db).fail(row, why, deps.clock())
	await dropTriggersAndChanges(deps)
}

async function beginAgain(deps: Deps, row: BackupRow): Promise<void> {
	if (row.restarts >= MAX_RESTARTS) return failBackup(deps, row, 'the schema changed each time')
	const restarted = await runStore(deps.db).restart(row, deps.clock() + STEP_LEASE_MS)
	if (restarted) await sendStep(deps, restarted)
}

/**
 * Drops the triggers of runs that ended, and deletes the changes they recorded. Those of a running backup have its id
 * in their names, so a backup that begins meanwhile keeps its own.
 */
export async function dropTriggersAndChanges({ db }: Pick<Deps, 'db'>): Promise<void> {
	const source = sourceStore(db)
	const names = (await source.listTriggers()).filter(isBackupTrigger)
	const running = await runStore(db).findRunning()
	await source.dropTriggers(names.filter((name) => !running || !hasBackupId(running.id, name)))
	await runStore(db).deleteChanges()
}
