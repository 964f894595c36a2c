import type { VerifyBackup } from '#schema/contract/messages.ts'
import { SECOND } from '../../../platform/clock.ts'
import { listErrorCauses } from '../../../platform/database/causes.ts'
import type { Deps } from '../../../platform/deps.ts'
import { DamagedBackupError } from '../format/chunk.ts'
import { BackupKeyError } from '../format/signed-manifest.ts'
import { STEP_LEASE_MS } from '../run/continue.ts'
import { StoppedError } from '../run/run.ts'
import { backupStore } from '../store.ts'
import { readManifest } from '../vault-manifest.ts'
import type { Drill, DrillProgress } from './drill-object.ts'
import { findDrillStub } from './drill-stub.ts'
import { RefusedStatementError, ScratchDatabase } from './scratch-database.ts'
import { type DrillRun, runDrillStep } from './steps.ts'

/** Other messages of the queue wait meanwhile, so a message runs only some of the steps. */
const MESSAGE_MS = 10 * SECOND
const STEPS_A_MESSAGE = 50
/** A Worker may make 1,000 subrequests per batch of messages. */
const MAX_CALLS = 200
const MAX_FAILURES = 8

export const sendDrillStep = (
	deps: Pick<Deps, 'send'>,
	{ backupId, attempt }: Pick<Drill, 'backupId' | 'attempt'>,
): Promise<void> => deps.send({ type: 'backup.drill', backupId, attempt })

/** Runs the next steps of a drill, unless another message has. */
export async function continueDrill(deps: Deps, message: VerifyBackup): Promise<void> {
	const leaseEnd = () => deps.clock() + STEP_LEASE_MS
	const stub = findDrillStub(deps.env)
	if (!stub) return
	const drill = await stub
		.claimStep(message.backupId, message.attempt, leaseEnd())
		.catch(async (thrown: Error) => {
			// The disk is full, so the rows are deleted. The retried message records the reason.
			if (isFull(thrown)) await stub.fail(message.attempt, thrown.message)
			throw thrown
		})
	if (!drill) return
	const scratch = new ScratchDatabase(stub, drill, leaseEnd)
	let error = drill.error ?? null
	try {
		if (error === null && !(await takeSteps(deps, drill, scratch))) return await sendDrillStep(deps, drill)
	} catch (thrown) {
		if (causeOf(thrown, StoppedError)) return
		const found =
			causeOf(thrown, DamagedBackupError) ??
			causeOf(thrown, BackupKeyError) ??
			causeOf(thrown, RefusedStatementError)
		if (!found) throw thrown
		error = found.message
		// The rows may have filled the disk to which the result is written.
		if (!(await stub.fail(drill.attempt, error))) return
	}
	await recordResult(deps, drill, scratch, error)
}

const isFull = ({ message }: Error): boolean => message.includes('SQLITE_FULL')

/** Returns true once the drill has succeeded. */
async function takeSteps(deps: Deps, drill: Drill, scratch: ScratchDatabase): Promise<boolean> {
	if (drill.failures > MAX_FAILURES) throw new DamagedBackupError('one step failed too many times')
	const run = await openBackup(deps, drill, scratch)
	const endsAt = deps.clock() + MESSAGE_MS
	for (let step = 0; step < STEPS_A_MESSAGE; step++) {
		if (step > 0 && (scratch.calls >= MAX_CALLS || deps.clock() >= endsAt)) break
		if (await runDrillStep(run)) return true
	}
	return false
}

async function openBackup(deps: Deps, drill: Drill, scratch: ScratchDatabase): Promise<DrillRun> {
	if (!deps.secrets) throw new DamagedBackupError('AUTH_SECRET is no longer set')
	const found = await readManifest(deps, deps.secrets, drill.backupId)
	if (!found) throw new DamagedBackupError('the manifest is missing')
	return { deps, drill, scratch, manifest: found.manifest, keys: found.keys }
}

/** Records the result of the drill before emptying the scratch database, so that a repeated message records it again. */
async function recordResult(
	deps: Deps,
	{ backupId }: Drill,
	scratch: ScratchDatabase,
	error: string | null,
): Promise<void> {
	const { progress } = scratch
	const drilledAt = deps.clock()
	await backupStore(deps.db).recordDrill(
		backupId,
		error === null
			? { drilledAt, drillError: null, verifiedAt: drilledAt, restoreSeconds: restoreSecondsOf(progress) }
			: { drilledAt, drillError: error },
	)
	await scratch.end()
	if (error === null) deps.log.info('backup verified', { backupId })
	else deps.log.error('a drill of a backup failed', new Error(error), { backupId })
}

/** Null if nothing was restored, because only the recipient can read the backup. */
const restoreSecondsOf = (progress: DrillProgress): number | null =>
	progress.step === 'count' ? progress.restoreSeconds : null

function causeOf<E extends Error>(error: unknown, type: new (message?: string) => E): E | null {
	for (const cause of listErrorCauses(error)) if (cause instanceof type) return cause
	return null
}
