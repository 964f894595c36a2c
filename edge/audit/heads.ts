import type { ChainHead } from '#schema/contract/platform/audit/chain.ts'
import type { Deps } from '../platform/deps.ts'

/**
 * Each run of the sealer leaves one object here, and none is ever overwritten, so that a bucket lock can protect them.
 * Whoever can only write to the database can't rebuild the chain unnoticed.
 */
const FOLDER = 'audit-heads/'
const POSITION_DIGITS = 15

type NewHead = Pick<ChainHead, 'position' | 'hash'>

/** The key holds position and hash, so that listing keys is enough to verify the chain. */
const keyOf = ({ position, hash }: NewHead): string => `${keyBefore(position)}-${hash}`
const keyBefore = (position: number): string => FOLDER + String(position).padStart(POSITION_DIGITS, '0')

/** Copies the hash of the newest sealed row to the vault, unless it is there. */
export async function copyHead({ env }: Deps, head: NewHead): Promise<void> {
	const key = keyOf(head)
	if (await env.bindings.VAULT.head(key)) return
	await env.bindings.VAULT.put(key, JSON.stringify(head), {
		httpMetadata: { contentType: 'application/json' },
	})
}

/** Lists copied hashes by position, after the position `after` and up to `last`. */
export async function listHeads({ env }: Deps, after: number, last: number): Promise<ChainHead[]> {
	const { objects } = await env.bindings.VAULT.list({ prefix: FOLDER, startAfter: `${keyBefore(after)}~` })
	return objects
		.map(({ key, uploaded }) => {
			const [position, hash = ''] = key.slice(FOLDER.length).split('-')
			return { position: Number(position), hash, storedAt: uploaded.getTime() }
		})
		.filter(({ position }) => position <= last)
}
