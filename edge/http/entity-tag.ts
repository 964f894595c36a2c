import type { z } from 'zod'
import type { takesIfMatch } from '#schema/contract/kit/headers/entity-tag.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { sha256 } from '../platform/tokens/digest.ts'
import { AppError } from './errors.ts'
import { readHeaders } from './route.ts'

/** The values of the fields that an update takes. */
export type State = Readonly<Record<string, unknown>>

/** 60 bits for each field are enough to distinguish the values of one record. */
const DIGEST_LENGTH = 10

const readNames = (state: State): string[] => Object.keys(state).toSorted()

/** Returns a tag with a digest of each field, so that a comparison names the fields that differ. */
export async function computeEntityTag(state: State): Promise<string> {
	const digests = readNames(state).map(async (name) =>
		(await sha256(`${name} ${writeInOrder(state[name])}`)).slice(0, DIGEST_LENGTH),
	)
	return `"${(await Promise.all(digests)).join('.')}"`
}

/** Sorts the keys, because databases may store JSON with another order of keys. */
const writeInOrder = (value: unknown): string =>
	JSON.stringify(value, (_, part) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	)

/** Returns the tags of `If-Match`; null if the caller accepts every state. */
export function readIfMatch<const O extends Operation & typeof takesIfMatch>(
	op: O,
	request: Request,
): string[] | null {
	const { 'If-Match': sent } = readHeaders(op, request) as z.output<(typeof takesIfMatch)['headers']>
	return sent === undefined || sent === '*' ? null : sent.split(/[ \t]*,[ \t]*(?=W\/"|")/)
}

/**
 * Returns the fields that differ from the last tag; null if any tag matches. Weak tags match too: proxies that compress
 * responses make tags weak, and ours describe values instead of bytes.
 */
export async function findChangedFields(tags: readonly string[], state: State): Promise<string[] | null> {
	const current = await computeEntityTag(state)
	const strong = tags.map((tag) => tag.replace(/^W\//, ''))
	if (strong.includes(current)) return null
	const digests = parseDigests(current)
	const sent = parseDigests(strong.at(-1) ?? '')
	return sent.length === digests.length
		? readNames(state).filter((_, at) => sent[at] !== digests[at])
		: readNames(state)
}

const parseDigests = (tag: string): string[] => tag.slice(1, -1).split('.')

const stateChangedError = (fields: readonly string[]) =>
	new AppError(
		'precondition_failed',
		`${fields.join(', ')}: changed since you read the record; read it again, then repeat the change`,
		{ fieldNames: fields },
	)

/** Throws if the record has changed since the caller read it. */
export async function requireUnchanged(tags: readonly string[], state: State): Promise<void> {
	const changed = await findChangedFields(tags, state)
	if (changed) throw stateChangedError(changed)
}

type Update<Row> = {
	/** Reads the record. Throws 404 if it is missing. */
	read: () => Promise<Row>
	toState: (row: Row) => State
	/** Changes the record; with `before`, only while it has these values. Throws if nothing was changed. */
	update: (before?: Row) => Promise<Row>
}

/** Updates a record; with `If-Match`, only as the caller read it. Sets the `ETag` of the response. */
export async function updateMatching<Row>(
	op: Operation & typeof takesIfMatch,
	{ request, headers }: { request: Request; headers: Headers },
	{ read, toState, update }: Update<Row>,
): Promise<Row> {
	const tags = readIfMatch(op, request)
	const row = tags ? await updateTagged(tags, { read, toState, update }) : await update()
	await setEntityTag(headers, toState(row))
	return row
}

async function updateTagged<Row>(
	tags: readonly string[],
	{ read, toState, update }: Update<Row>,
): Promise<Row> {
	const before = await read()
	await requireUnchanged(tags, toState(before))
	try {
		return await update(before)
	} catch (error) {
		await requireUnchanged(tags, toState(await read()))
		throw error
	}
}

export async function setEntityTag(headers: Headers, state: State): Promise<void> {
	headers.set('etag', await computeEntityTag(state))
}
