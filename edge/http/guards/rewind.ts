import { getConfig, healthReady } from '#schema/contract/operations/health.ts'
import type { Deps } from '../../platform/deps.ts'
import { type GuardState, readGuardState } from '../../platform/rewind/guard.ts'
import { AppError } from '../errors.ts'

const RETRY_SECONDS = 15

/** Served from a restored database, too: none of these trusts a credential or shows what a person wrote. */
const servedPaths: ReadonlySet<string> = new Set([healthReady.path, getConfig.path])

/**
 * Public videos that play go on, since an erased video has no files. Those of signed videos trust a token that may have been
 * revoked, and subtitles are what a person wrote.
 */
const isPublicVideo = (path: string): boolean =>
	path.startsWith('/media/') && !path.includes('/~') && !/\.(vtt|srt)$/.test(path)

const messages: Record<Exclude<GuardState, 'current'>, string> = {
	repairing: 'the database was restored and is being repaired; try again soon',
	foreign: 'the storage of this installation belongs to another installation; its log says more',
	unknown: 'the state of the database is not known at the moment; try again',
}

/** Throws 503 unless the database is current, or the request is harmless. Costs nothing while the state is known. */
export async function requireCurrentDatabase(deps: Deps, { method, path }: { method: string; path: string }) {
	if (method === 'OPTIONS' || servedPaths.has(path) || isPublicVideo(path)) return
	const state = await readGuardState(deps)
	if (state === 'current') return
	throw new AppError('unavailable', messages[state], { headers: { 'retry-after': String(RETRY_SECONDS) } })
}
