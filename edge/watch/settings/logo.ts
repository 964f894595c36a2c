import type { OrgRow } from '../../accounts/orgs/store.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { HOUR } from '../../platform/clock.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import type { CleanImage } from '../../platform/images/clean-image.ts'
import { readCached, storeCached } from '../../platform/network/edge-cache.ts'
import { withdrawObject } from '../../platform/storage/announced-objects.ts'
import { answerWithObject } from '../../platform/storage/object-response.ts'
import { LOGO_BUCKET, settingsStore } from './store.ts'

const PREFIX = 'logos/'
/** Other locations may show the logo of a suspended organization for this long. */
const CACHE_SECONDS = 60

/** Stores a logo under a random key, which reveals neither the organization nor the file name. */
export async function setLogo(deps: Deps, orgId: string, image: CleanImage): Promise<OrgRow> {
	const { db, work, now, objects } = deps
	const key = `${PREFIX}${randomBase62(22)}.${image.extension}`
	const store = settingsStore(db)
	if (!(await store.announceLogo(orgId, key, now + HOUR))) throw notFoundError('organization')
	await objects[LOGO_BUCKET].put(key, image.bytes, { contentType: image.contentType })
	const org = await store.setLogo(work, orgId, key)
	if (org) return org
	await withdrawObject(deps, LOGO_BUCKET, key)
	throw new AppError('gone', 'the upload expired; start a new one')
}

/** A replaced logo is served until it is purged. */
export async function serveLogo(deps: Deps, file: string, request: Request): Promise<Response> {
	const key = PREFIX + file
	const headers = { 'cache-control': 'public, max-age=31536000, immutable' }
	const response = (await isSuspended(deps, key))
		? null
		: await answerWithObject(request, deps.objects[LOGO_BUCKET], key, headers)
	if (!response) throw notFoundError('logo')
	return response
}

/**
 * Whether a full suspension hides the logo. Every viewer loads it, so each location queries the database at most once
 * a minute.
 */
async function isSuspended(deps: Deps, key: string): Promise<boolean> {
	const cacheKey = `logo-suspended/${key}`
	const cached = await readCached<{ isSuspended: boolean }>(cacheKey)
	if (cached) return cached.isSuspended
	const isSuspended = await settingsStore(deps.db).isLogoSuspended(key)
	deps.defer(storeCached(cacheKey, { isSuspended }, CACHE_SECONDS))
	return isSuspended
}

/** Returns the last part of a key, which is the name of the logo in its URL. */
export const formatLogoFile = (key: string): string => key.slice(PREFIX.length)
