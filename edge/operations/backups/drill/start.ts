import { AppError, notFoundError } from '../../../http/errors.ts'
import { requireSecrets } from '../../../http/require-secrets.ts'
import type { Deps } from '../../../platform/deps.ts'
import { isOverdue, STEP_LEASE_MS } from '../run/continue.ts'
import { type BackupRow, backupStore } from '../store.ts'
import { sendDrillStep } from './continue.ts'
import { type DrillStub, findDrillStub } from './drill-stub.ts'
import { chooseBackupToVerify } from './due.ts'

/** Starts a drill of one backup. Throws `conflict` if one is running. */
export async function verifyBackup(deps: Deps, id: string): Promise<BackupRow> {
	const stub = findDrillStub(deps.env)
	if (!stub) throw new AppError('not_configured', "backups can't be verified: bind BACKUP_DRILL")
	requireSecrets(deps, 'backups')
	const store = backupStore(deps.db)
	const row = await store.find(id)
	if (!row) throw notFoundError('backup')
	if (row.state !== 'completed') throw new AppError('conflict', 'only a completed backup can be verified')
	if (!(await begin(deps, stub, id)))
		throw new AppError('conflict', 'a backup is being verified; try again later')
	await store.recordDrillStart(deps.work, id)
	return row
}

/** Retries a drill whose message was lost, or starts one that is due. */
export async function sweepDrills(deps: Deps): Promise<void> {
	const { env, db, now, secrets } = deps
	const stub = findDrillStub(env)
	if (!stub) return
	const drill = await stub.find()
	if (drill) return isOverdue(drill.dueAt, now) ? sendDrillStep(deps, drill) : undefined
	const { BACKUPS_ENABLED, BACKUP_DRILL_DAYS } = env.vars
	if (!BACKUPS_ENABLED || BACKUP_DRILL_DAYS === 0 || !secrets) return
	const next = chooseBackupToVerify(await backupStore(db).listCompleted(), now, BACKUP_DRILL_DAYS)
	if (next) await begin(deps, stub, next.id)
}

async function begin(deps: Deps, stub: DrillStub, backupId: string): Promise<boolean> {
	const drill = await stub.begin(backupId, deps.clock(), deps.clock() + STEP_LEASE_MS)
	// If this fails, the sweep sends the step.
	if (drill) await sendDrillStep(deps, drill)
	return drill !== null
}
