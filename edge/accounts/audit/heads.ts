import type { ChainHead } from '#schema/contract/accounts/audit/chain.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Head } from './store.ts'

/**
 * Each run of the sealer writes one object, and none is overwritten, so a bucket lock can protect them. Write access
 * to the database alone can't forge the chain.
 */
const FOLDER = 'audit-heads/'
const POSITION_DIGITS = 15

/** The key holds position and hash, so that listing keys is enough to verify the chain. */
const keyOf = ({ position, hash }: Head): string => `${keyBefore(position)}-${hash}`
const keyBefore = (position: number): string => FOLDER + String(position).padStart(POSITION_DIGITS, '0')

/** The key that this isolate last stored or found, which saves an idle installation one operation a minute. */
let copiedKey: string | null = null

/** Copies the hash of the newest sealed row to the vault, unless it is there or this isolate has seen it there. */
export async function copyHead(deps: Deps, head: Head): Promise<void> {
	if (keyOf(head) !== copiedKey) await copyMissingHead(deps, head)
}

/** Copies the hash unless it is there now. */
export async function copyMissingHead({ env }: Deps, head: Head): Promise<void> {
	const key = keyOf(head)
	if (!(await env.bindings.VAULT.head(key)))
		await env.bindings.VAULT.put(key, JSON.stringify({ position: head.position, hash: head.hash }), {
			httpMetadata: { contentType: 'application/json' },
		})
	copiedKey = key
}

type Page = Awaited<ReturnType<R2Bucket['list']>>

/** Lists the first copied hashes after a position. Call it before rows are read, so that none is newer than these. */
export const listFirstHeads = ({ env }: Deps, after: number): Promise<Page> =>
	env.bindings.VAULT.list({ prefix: FOLDER, startAfter: `${keyBefore(after)}~` })

/**
 * Returns the hashes up to a position. At the end of the log, also includes later hashes: the first of these is a
 * problem.
 */
export async function listHeadsUpTo(
	{ env }: Deps,
	first: Page,
	last: number,
	isEnd: boolean,
): Promise<ChainHead[]> {
	const heads: ChainHead[] = []
	for (let page = first; ; ) {
		heads.push(...page.objects.map(headOf))
		const newest = heads.at(-1)
		if (!page.truncated || !newest || newest.position > last) break
		page = await env.bindings.VAULT.list({ prefix: FOLDER, cursor: page.cursor })
	}
	return isEnd ? heads : heads.filter(({ position }) => position <= last)
}

function headOf({ key, uploaded }: R2Object): ChainHead {
	const [position, hash = ''] = key.slice(FOLDER.length).split('-')
	return { position: Number(position), hash, storedAt: uploaded.getTime() }
}
