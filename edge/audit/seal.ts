import { digestsOf, FIRST_HASH, hashOf } from '#schema/contract/platform/audit/chain.ts'
import { isUniqueViolation } from '../platform/database/unique-violation.ts'
import type { Deps } from '../platform/deps.ts'
import { copyHead } from './heads.ts'
import { auditStore, type NewSeal } from './store.ts'

const ROWS_AT_ONCE = 200
/** Rows beyond that wait a minute. */
const MAX_STEPS = 10

/** Appends new rows to the hash chain, and copies the hash of the last one to the vault. */
export async function sealEntries(deps: Deps): Promise<void> {
	const store = auditStore(deps.db)
	const before = await store.findHead()
	let head = before ?? { position: 0, hash: FIRST_HASH }
	for (let step = 0; step < MAX_STEPS; step++) {
		const rows = await store.listChain(head.position, ROWS_AT_ONCE)
		if (rows.length === 0) break
		const seals: NewSeal[] = []
		for (const row of rows) {
			const digests = await digestsOf(row)
			head = { position: row.position, hash: await hashOf(head.hash, row, digests) }
			seals.push({ ...digests, ...head })
		}
		try {
			await store.seal(seals, deps.now)
		} catch (error) {
			// Another run has sealed them, and copies the head.
			if (isUniqueViolation(error)) return
			throw error
		}
		if (rows.length < ROWS_AT_ONCE) break
	}
	if (head.position > (before?.position ?? 0)) await copyHead(deps, head)
}

/** Copies the newest hash again, in case that a run ended between the database and the vault. */
export async function copyNewestHead(deps: Deps): Promise<void> {
	const head = await auditStore(deps.db).findHead()
	if (head) await copyHead(deps, head)
}
