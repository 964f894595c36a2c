import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Deps } from '../../../../edge/platform/deps.ts'
import type { DatabaseState } from '../../../../edge/platform/rewind/checkpoint-store.ts'
import { compareCheckpoints, readGuardState, rememberState } from '../../../../edge/platform/rewind/guard.ts'
import type { StoredCheckpoint } from '../../../../edge/platform/rewind/vault-checkpoint.ts'

const stored: StoredCheckpoint = {
	installationId: 'home',
	number: 9,
	nonce: 'ninth',
	sequences: {},
	events: 0,
	logged: { audit: 0, events: 0 },
	etag: 'e',
}
const database = (state: Partial<DatabaseState> = {}): DatabaseState => ({
	installationId: 'home',
	newest: 9,
	newestNonce: 'ninth',
	hasCheckpoint: true,
	repairId: null,
	...state,
})
const empty = database({ installationId: null, newest: null, newestNonce: null, hasCheckpoint: false })

describe('comparison with the checkpoint', () => {
	test.each([
		['it has the checkpoint', stored, database(), false, 'current'],
		[
			'it is newer than the vault, which could not be written',
			stored,
			database({ newest: 12 }),
			false,
			'current',
		],
		['it lacks the checkpoint', stored, database({ newest: 5, hasCheckpoint: false }), false, 'rewound'],
		[
			'it has gone on elsewhere and overtaken the checkpoint',
			stored,
			database({ newest: 12, hasCheckpoint: false }),
			false,
			'rewound',
		],
		[
			'it lacks the checkpoint and is repaired for that',
			stored,
			database({ hasCheckpoint: false, repairId: 'ninth' }),
			false,
			'repairing',
		],
		[
			'the backup was made during another repair',
			stored,
			database({ hasCheckpoint: false, repairId: 'fourth' }),
			false,
			'rewound',
		],
		[
			'the repair has written its checkpoint and is not recorded as done',
			stored,
			database({ repairId: 'fourth' }),
			false,
			'repairing',
		],
		['it is of another installation', stored, database({ installationId: 'away' }), false, 'foreign'],
		['it is empty or older than the first checkpoint', stored, empty, false, 'foreign'],
		['the installation starts for the first time', null, empty, false, 'current'],
		['its first checkpoint did not reach the vault', null, database({ newest: 1 }), false, 'current'],
		['the vault lost the checkpoint', null, database(), true, 'rewound'],
		[
			'the vault is empty, but was not at the second checkpoint',
			null,
			database({ newest: 2 }),
			false,
			'rewound',
		],
		['an operator deleted the checkpoint for a database without any', null, empty, true, 'rewound'],
		['it is repaired without a checkpoint', null, database({ repairId: 'lost-ninth' }), true, 'repairing'],
	] as const)(
		'compares a database with the checkpoint of the vault: %s',
		(_, checkpoint, state, wasStored, verdict) => {
			expect(compareCheckpoints(checkpoint, state, wasStored)).toBe(verdict)
		},
	)

	test('the database adopts the vault of another installation only if an operator names it', () => {
		const moved = database({ installationId: 'away', hasCheckpoint: false })
		expect(compareCheckpoints(stored, moved, false, 'home')).toBe('rewound')
		expect(compareCheckpoints(stored, moved, false, 'elsewhere')).toBe('foreign')
	})
})

describe('a vault that does not answer', () => {
	afterEach(() => void vi.useRealTimers())

	function openHanging(now: number) {
		vi.useFakeTimers()
		let asked = 0
		const get = () => {
			asked++
			return new Promise(() => undefined)
		}
		const quiet = { error: () => undefined, warn: () => undefined }
		const env = { bindings: { VAULT: { get }, DB: {} }, vars: {} }
		const deps = { env, now, log: quiet, defer: () => undefined } as unknown as Deps
		return { deps, asked: () => asked }
	}
	const stateOf = async (deps: Deps) => {
		const state = readGuardState(deps)
		await vi.advanceTimersByTimeAsync(10_000)
		return state
	}

	test('an unresponsive vault closes an isolate that has not compared the checkpoint yet', async () => {
		expect(await stateOf(openHanging(0).deps)).toBe('unknown')
	})

	test('an unresponsive vault closes no other isolate for 15 minutes, and is not called per request', async () => {
		const { deps, asked } = openHanging(0)
		rememberState(deps, 'current')
		const at = (now: number) => stateOf({ ...deps, now } as Deps)
		expect([await at(3 * 60_000), await at(3 * 60_000 + 1_000), asked()]).toEqual(['current', 'current', 1])
		expect(await at(16 * 60_000)).toBe('unknown')
	})
})
