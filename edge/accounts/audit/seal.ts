import { type ChainRow, digestRow, FIRST_HASH, hashRow } from '#schema/contract/accounts/audit/chain.ts'
import { isUniqueViolation } from '../../platform/database/unique-violation.ts'
import type { Deps } from '../../platform/deps.ts'
import { copyHead, copyMissingHead } from './heads.ts'
import { auditStore, type NewSeal } from './store.ts'

const ROWS_AT_ONCE = 200
/** Remaining rows wait for the next run, a minute later. */
const MAX_STEPS = 10

/**
 * Appends new rows to the hash chain, and copies the hash of the last one to the vault. Also copies it if nothing is new,
 * since an earlier run may have ended between the database and the vault.
 */
export async function sealEntries(deps: Deps): Promise<void> {
	const store = auditStore(deps.db)
	let head = await store.findHead()
	for (let step = 0; step < MAX_STEPS; step++) {
		const rows = await store.listChain(head?.position ?? 0, ROWS_AT_ONCE)
		if (rows.length === 0) break
		const seals = await sealsOf(rows, head?.hash ?? FIRST_HASH)
		try {
			await store.seal(seals, deps.now)
		} catch (error) {
			if (!isUniqueViolation(error)) throw error
			// Another run has sealed them. It may have ended before it copied the head.
			head = await store.findHead()
			break
		}
		head = seals.at(-1)
		if (rows.length < ROWS_AT_ONCE) break
	}
	if (head) await copyHead(deps, head)
}

async function sealsOf(rows: readonly ChainRow[], headHash: string): Promise<NewSeal[]> {
	const seals: NewSeal[] = []
	let before = headHash
	for (const row of rows) {
		const digests = await digestRow(row)
		before = await hashRow(before, row, digests)
		seals.push({ ...digests, position: row.position, hash: before })
	}
	return seals
}

/** Copies the newest hash again if somebody deleted it from the vault. */
export async function copyNewestHead(deps: Deps): Promise<void> {
	const head = await auditStore(deps.db).findHead()
	if (head) await copyMissingHead(deps, head)
}
