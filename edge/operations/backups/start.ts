import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { isDailyBackupMissed, LOOK_BACK_MS } from './due.ts'
import { newDataKey } from './format/chunk.ts'
import type { BackupReason } from './format/manifest.ts'
import { BACKUP_KEY } from './format/signed-manifest.ts'
import { dropTriggersAndChanges, isOverdue, STEP_LEASE_MS, sendStep } from './run/continue.ts'
import { runStore } from './run/run-store.ts'
import { type BackupRow, backupStore } from './store.ts'

/** Starts a backup. Throws `conflict` if one runs. */
export async function startBackup(deps: Deps, reason: BackupReason): Promise<BackupRow> {
	const started = await tryToStart(deps, reason)
	if (!started) throw new AppError('conflict', 'a backup is running; wait until it has finished')
	return started
}

/** Returns whether this installation makes backups on its own. Without AUTH_SECRET, it could not encrypt them. */
const areAutomatic = ({ env, secrets }: Deps): boolean => env.vars.BACKUPS_ENABLED && secrets !== null

export async function startDailyBackup(deps: Deps): Promise<void> {
	if (areAutomatic(deps)) await tryToStart(deps, 'daily')
}

export async function startMissedBackup(deps: Deps): Promise<void> {
	if (!areAutomatic(deps)) return
	const recent = await backupStore(deps.db).listSince(deps.now - LOOK_BACK_MS)
	if (isDailyBackupMissed(recent, deps.now)) await tryToStart(deps, 'daily')
}

async function tryToStart(deps: Deps, reason: BackupReason): Promise<BackupRow | undefined> {
	const secrets = requireSecrets(deps, 'backups')
	const id = newId('bkp', deps.now)
	const started = await runStore(deps.db).start(deps.work, {
		id,
		reason,
		sealedKey: await secrets.seal(BACKUP_KEY, newDataKey(), id),
		startedAt: deps.now,
		dueAt: deps.clock() + STEP_LEASE_MS,
	})
	// If this fails, the sweep sends the step.
	if (started) await sendStep(deps, started)
	return started
}

/** Continues a backup whose step was lost, or begins one that `npm run deploy` has requested. */
export async function continueOverdueBackup(deps: Deps): Promise<void> {
	const running = await runStore(deps.db).findRunning()
	if (running && isOverdue(running.dueAt, deps.now)) await sendStep(deps, running)
}

/** Continues a backup whose step was lost, and removes what dead runs have left. */
export async function sweepBackups(deps: Deps): Promise<void> {
	await continueOverdueBackup(deps)
	await dropTriggersAndChanges(deps)
}
