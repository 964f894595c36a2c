import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import {
	MAX_WAITING_UPLOADS,
	type createDirectUpload as operation,
} from '#schema/contract/video/direct-uploads.ts'
import { readOrigins } from '../../accounts/allowed-origins/read-origins.ts'
import { requireStorage } from '../../accounts/orgs/storage.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { DAY, SECOND } from '../../platform/clock.ts'
import { newId, randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { ownsCollection } from '../assets/store.ts'
import { findUpload } from '../uploads/tus/upload-stub.ts'
import { type DirectUploadRow, directUploadStore } from './store.ts'

type Wanted = z.output<(typeof operation)['body']>

/** 256 random bits. */
const TOKEN_LENGTH = 43
const KEPT_MS = 30 * DAY
const SWEPT_AT_ONCE = 100
/** The id of the file in the Durable Object that receives it. */
export const UPLOAD_ID = 'direct'

export const hashToken = (token: string): Promise<string> => sha256(`direct-upload ${token}`)

export const uploadNotFoundError = () => notFoundError('direct upload')

export const endedError = () => new AppError('gone', 'this upload has ended; create a new one')

/** Returns the upload and its token, of which only the hash is stored. */
export async function createDirectUpload(
	deps: Deps,
	orgId: string,
	{ corsOrigin, maxBytes, contentTypes, expiresInSec, newAsset }: Wanted,
): Promise<{ row: DirectUploadRow; token: string }> {
	if (newAsset.visibility === 'signed') requireTokens(deps, 'playback tokens')
	await requireStorage(deps, orgId, 1)
	const { now } = deps
	const token = randomBase62(TOKEN_LENGTH)
	const [origin = null] = corsOrigin === undefined ? [] : readOrigins([corsOrigin], () => 'corsOrigin')
	const row: DirectUploadRow = {
		id: newId('dup', now),
		orgId,
		tokenHash: await hashToken(token),
		status: 'waiting',
		assetId: newId('ast', now),
		maxBytes,
		contentTypes,
		corsOrigin: origin,
		newAsset,
		errorCode: null,
		errorMessage: null,
		createdAt: now,
		expiresAt: now + expiresInSec * SECOND,
		endedAt: null,
		finishAt: null,
		announcedBytes: null,
	}
	const { collectionId } = newAsset
	const hasCollection = collectionId ? ownsCollection(orgId, collectionId) : sql`1`
	const store = directUploadStore(deps.db)
	if (await store.insert(row, MAX_WAITING_UPLOADS, hasCollection)) return { row, token }
	if ((await store.countWaiting(orgId, now)) < MAX_WAITING_UPLOADS) throw notFoundError('collection')
	throw new AppError(
		'conflict',
		`an organization has at most ${MAX_WAITING_UPLOADS} waiting direct uploads; cancel some, or wait until they expire`,
	)
}

export async function getDirectUpload(
	{ db }: Pick<Deps, 'db'>,
	orgId: string,
	id: string,
): Promise<DirectUploadRow> {
	const row = await directUploadStore(db).find(orgId, id)
	if (!row) throw uploadNotFoundError()
	return row
}

/** Cancels a waiting upload. A repetition changes nothing. */
export async function cancelDirectUpload(deps: Deps, orgId: string, id: string): Promise<DirectUploadRow> {
	await getDirectUpload(deps, orgId, id)
	const [cancelled] = await directUploadStore(deps.db).endStatement(id, 'cancelled', deps.now)
	const row = cancelled ?? (await getDirectUpload(deps, orgId, id))
	if (row.status !== 'cancelled')
		throw new AppError('conflict', `the upload has ended: its status is ${row.status}`)
	await findUpload(deps.env, row.assetId)?.end(null)
	return row
}

/** Ends uploads that have expired, and deletes their bytes. */
export async function endExpiredUploads({ db, env, now }: Deps): Promise<void> {
	const expired = await directUploadStore(db).endExpired(now, SWEPT_AT_ONCE)
	await Promise.all(expired.map(({ assetId }) => findUpload(env, assetId)?.end(null)))
}

export const pruneDirectUploads = ({ db, now }: Deps): Promise<void> =>
	directUploadStore(db).prune(now - KEPT_MS)
