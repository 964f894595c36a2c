import { MINUTE, SECOND } from '../clock.ts'
import { openDatabase } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'
import { withTimeout } from '../network/time-limit.ts'
import type { Bucket } from '../storage/bucket.ts'
import { r2Bucket } from '../storage/r2-bucket.ts'
import { checkpointStore, type DatabaseState } from './checkpoint-store.ts'
import { hasHadVaultCheckpoint, readVaultCheckpoint, type StoredCheckpoint } from './vault-checkpoint.ts'

/**
 * Whether requests may use the database: it is current; it was restored and needs repair; the vault belongs to
 * another installation; or the vault is unreadable.
 */
export type GuardState = 'current' | 'repairing' | 'foreign' | 'unknown'

export type Inspection = {
	state: Exclude<GuardState, 'unknown'>
	stored: StoredCheckpoint | null
	database: DatabaseState
}

type Verdict = 'current' | 'repairing' | 'foreign' | 'rewound'

/** A `lost-` repair knows no earlier state of this database, and deletes no file. */
const repairIdOf = (stored: StoredCheckpoint | null, database: DatabaseState): string =>
	stored && stored.installationId === database.installationId
		? stored.nonce
		: `lost-${stored?.nonce ?? database.newestNonce ?? 'all'}`

/**
 * Compares the database with the vault. `wasStored`: the vault once had a checkpoint. `adoptedVault`: the
 * installation whose vault this database takes over.
 */
export function compareCheckpoints(
	stored: StoredCheckpoint | null,
	database: DatabaseState,
	wasStored: boolean,
	adoptedVault?: string,
): Verdict {
	const isRepairing = database.repairId !== null
	if (!stored) {
		// The second checkpoint is inserted only after the vault has the first.
		const isLost = wasStored || (database.newest ?? 0) > 1
		return isRepairing ? 'repairing' : isLost ? 'rewound' : 'current'
	}
	if (database.installationId !== stored.installationId && adoptedVault !== stored.installationId)
		return 'foreign'
	if (!database.hasCheckpoint)
		return isRepairing && database.repairId === repairIdOf(stored, database) ? 'repairing' : 'rewound'
	return isRepairing ? 'repairing' : 'current'
}

/** Reads the vault and the database. Begins the repair of a restored database. */
export async function inspectDatabase({
	env,
	now,
	log,
}: Pick<Deps, 'env' | 'now' | 'log'>): Promise<Inspection> {
	const vault: Bucket = r2Bucket(env.bindings.VAULT)
	// A separate client, because the request's statements are counted.
	const store = checkpointStore(openDatabase(env, () => undefined))
	let stored = await readVaultCheckpoint(vault)
	const wasStored = stored === null && (await hasHadVaultCheckpoint(vault))
	// The first checkpoint may have been written in between.
	if (wasStored) stored = await readVaultCheckpoint(vault)
	let database = await store.findState(stored)
	let verdict = compareCheckpoints(stored, database, wasStored, env.vars.ADOPT_VAULT)
	if (verdict === 'rewound') {
		if (await store.beginRepair(repairIdOf(stored, database), stored, now))
			log.warn('the database was restored; requests are refused until it is repaired', {
				checkpoint: database.newest,
				missingCheckpoint: stored?.number,
			})
		database = await store.findState(stored)
		// A lagging replica may still lack the row.
		verdict = stored && database.hasCheckpoint && database.repairId === null ? 'current' : 'repairing'
	}
	return { state: verdict, stored, database }
}

/** After this time, the state is rechecked in the background. */
const FRESH_MS = MINUTE
/** After this time, or if the state was not `current`, it is rechecked before the request. */
const STALE_MS = 2 * MINUTE
const RETRY_MS = SECOND
/** How long a failing vault is tolerated. */
const TRUSTED_MS = 15 * MINUTE
/** A slow vault counts as failing. */
const ANSWER_MS = 5 * SECOND
/** How long a failed vault is not queried again. */
const PAUSE_MS = 10 * SECOND

type Known = { state: GuardState; checkedAt: number; checkingAt: number; failedAt?: number }

/** Cached per isolate, so that a request costs no statement and no call. */
const knownBy = new WeakMap<Env, Known>()

export function rememberState({ env, now }: Pick<Deps, 'env' | 'now'>, state: GuardState): void {
	knownBy.set(env, { state, checkedAt: now, checkingAt: now })
}

/** Returns the cached state, and keeps it fresh. */
export async function readGuardState(deps: Deps): Promise<GuardState> {
	const known = knownBy.get(deps.env)
	// A clock that was set back makes the age negative.
	const age = known ? deps.now - known.checkedAt : -1
	if (!known || age < 0) return check(deps)
	if (known.state !== 'current') return age < RETRY_MS ? known.state : check(deps)
	const failedFor = deps.now - (known.failedAt ?? Number.NEGATIVE_INFINITY)
	if (failedFor >= 0 && failedFor < PAUSE_MS && age < TRUSTED_MS) return 'current'
	if (age >= STALE_MS) return check(deps)
	if (age >= FRESH_MS && deps.now - known.checkingAt >= FRESH_MS) {
		known.checkingAt = deps.now
		deps.defer(check(deps))
	}
	return known.state
}

async function check(deps: Deps): Promise<GuardState> {
	const known = knownBy.get(deps.env)
	let state: GuardState
	try {
		const late = () => new Error('the vault or the database does not respond')
		state = (await withTimeout(ANSWER_MS, inspectDatabase(deps), late)).state
	} catch (error) {
		deps.log.error('the database could not be compared with its checkpoint in the vault', error)
		const age = known ? deps.now - known.checkedAt : -1
		if (known?.state === 'current' && age >= 0 && age < TRUSTED_MS) {
			known.failedAt = deps.now
			return 'current'
		}
		rememberState(deps, 'unknown')
		return 'unknown'
	}
	rememberState(deps, state)
	return state
}
