import {
	type ChainErasures,
	type ChainHead,
	type ChainRow,
	digestPerson,
	FIRST_HASH,
	hashRow,
} from '#schema/contract/accounts/audit/chain.ts'

/**
 * One item of the chain: a row, a hash from the vault, or the position of a seal without a row. Items come by position,
 * a head after its row. Rows of one read follow the time of the read, in milliseconds since 1970. An installation also
 * sends the account deletions that it knows.
 */
export type ChainItem =
	| { readAt: number }
	| { erasures: ChainErasures }
	| { row: ChainRow }
	| { head: ChainHead }
	| { sealWithoutRow: number }

/** Sealing takes about a minute. The time of a row is the start of its request. */
const UNSEALED_MS = 10 * 60_000
/** The time of an erasure is the start of a run. A row that the run erases may be a little newer. */
const ERASING_MS = 15 * 60_000

export type Verdict = {
	rows: number
	/** Rows at the end that are too new to be sealed. */
	unsealed: number
	/** Rows from which at least one person was erased. */
	erased: number
	/** Whether these rows were compared with the account deletions of an installation. */
	hasComparedErasures: boolean
	/** Hashes in the vault that match. */
	heads: number
	/** Hashes in the vault of rows that a restored backup lacks. */
	superseded: number
	/** The first problem, with its row if that exists. */
	problem: { what: string; position: number; id?: string; at?: string } | null
}

type People = 'actor' | 'onBehalfOf' | 'target'
const people = [
	['actor', 'actorDigest'],
	['onBehalfOf', 'onBehalfOfDigest'],
	['target', 'targetDigest'],
] as const

/**
 * Recomputes the hash chain item by item, so memory does not limit its length. Stops at the first problem. `restoredAt`
 * are the instants at which a backup was restored.
 */
export async function verifyChain(
	items: AsyncIterable<ChainItem>,
	restoredAt: readonly number[] = [],
): Promise<Verdict> {
	const verdict: Verdict = {
		rows: 0,
		unsealed: 0,
		erased: 0,
		hasComparedErasures: false,
		heads: 0,
		superseded: 0,
		problem: null,
	}
	let erasures: ChainErasures | null = null
	const restores = restoredAt.map((at) => ({ at, from: Number.POSITIVE_INFINITY }))
	let before = FIRST_HASH
	let last = 0
	let lastMatch = 0
	/** Becomes `lastMatch` with the next row: the vault may have another hash for the same position. */
	let matched = 0
	let readAt = 0
	for await (const item of items) {
		if ('readAt' in item) {
			readAt = item.readAt
		} else if ('erasures' in item) {
			erasures = item.erasures
			verdict.hasComparedErasures = true
		} else if ('sealWithoutRow' in item) {
			const what = 'it has a seal, but no row: the row was deleted, or the seal was inserted'
			return { ...verdict, problem: { what, position: item.sealWithoutRow } }
		} else if ('head' in item) {
			if (isSuperseded(item.head, last, restores)) {
				verdict.superseded++
				continue
			}
			verdict.problem = headProblem(item.head, { before, last, lastMatch, unsealed: verdict.unsealed })
			if (verdict.problem) return verdict
			matched = item.head.position
			verdict.heads++
		} else {
			const { row } = item
			lastMatch = matched
			for (const restore of restores)
				if (row.createdAt >= restore.at) restore.from = Math.min(restore.from, row.position)
			const erased = people.filter(([name, digest]) => isErased(row, name, row.seal?.[digest] ?? null))
			const what =
				(await rowProblem(row, { before, last, unsealed: verdict.unsealed, readAt })) ??
				(erasures && erasureProblem(row, erased, erasures))
			if (what) {
				const { position, id, createdAt } = row
				return { ...verdict, problem: { what, position, id, at: new Date(createdAt).toISOString() } }
			}
			verdict.rows++
			last = row.position
			if (row.seal) before = row.seal.hash
			else verdict.unsealed++
			if (erased.length > 0) verdict.erased++
		}
	}
	return verdict
}

const isErased = (row: ChainRow, name: People, digest: string | null): boolean =>
	digest !== null && row[name].salt === null

type Restore = { at: number; from: number }

/** A head from before a restore, of a row that is missing since or whose position a newer row has taken. */
const isSuperseded = (
	{ position, storedAt }: ChainHead,
	last: number,
	restores: readonly Restore[],
): boolean => restores.some(({ at, from }) => storedAt < at && (position >= from || position > last))

type Before = { before: string; last: number; unsealed: number }

/** Returns the problem of a row, or null. */
async function rowProblem(
	row: ChainRow,
	{ before, last, unsealed, readAt }: Before & { readAt: number },
): Promise<string | null> {
	if (row.position !== last + 1)
		return row.position > last + 1
			? `${row.position - last - 1} rows before it are missing, from position ${last + 1} on`
			: 'its position is not after the row before it'
	if (!row.seal) return unsealedProblem(row, readAt)
	if (unsealed > 0) return `it is sealed, but ${unsealed} rows before it are not: their seals are missing`
	for (const [name, digest] of people) {
		const { salt, userId, email, ipAddress } = row[name]
		const expected = row.seal[digest]
		if (salt === null && (userId !== null || email !== null || ipAddress !== null))
			return `its ${labels[name]} has no salt, although it is not erased`
		if (salt !== null && (await digestPerson(row[name])) !== expected)
			return `its ${labels[name]} was changed`
	}
	if ((await hashRow(before, row, row.seal)) !== row.seal.hash)
		return 'its action, actor kind, target, request id, details, organization or time was changed, or its seal'
	return null
}

/** Returns a problem if a person was removed from a row without an account deletion; else null. */
function erasureProblem(
	{ position, createdAt }: ChainRow,
	erased: readonly (typeof people)[number][],
	{ until, presentActors }: ChainErasures,
): string | null {
	const [first] = erased
	if (!first) return null
	const [name] = first
	if (presentActors.includes(position) && name === 'actor')
		return `its ${labels.actor} was removed by hand: the person who made its API key still has an account`
	if (until === null) return `its ${labels[name]} was removed by hand: the vault knows of no account deletion`
	if (createdAt > until + ERASING_MS)
		return `its ${labels[name]} was removed by hand: no account was deleted since`
	return null
}

/** Returns the problem of an unsealed row; null while the row is new. */
function unsealedProblem({ createdAt }: ChainRow, readAt: number): string | null {
	if (createdAt > readAt + UNSEALED_MS) return 'it is not sealed, and its time is after the chain was read'
	if (createdAt >= readAt - UNSEALED_MS) return null
	return 'it is not sealed, although sealing takes about a minute: sealing does not run, or the database prevents it'
}

const labels: Record<People, string> = {
	actor: 'actor or IP address',
	onBehalfOf: 'person on whose behalf it happened',
	target: 'target person',
}

/** Returns the problem of a hash in the vault, or null. */
function headProblem(
	{ position, hash }: ChainHead,
	{ before, last, lastMatch, unsealed }: Before & { lastMatch: number },
): Verdict['problem'] {
	if (position > last)
		return {
			position: last + 1,
			what: `rows are missing at the end: the vault has a hash for position ${position}, but the last row has position ${last}`,
		}
	if (unsealed > 0) return { position, what: 'its seal is missing, although the vault has its hash' }
	if (hash !== before)
		return {
			position: lastMatch + 1,
			what: `the chain was rebuilt: the vault has another hash for position ${position}, so a row from position ${lastMatch + 1} on was changed`,
		}
	return null
}
