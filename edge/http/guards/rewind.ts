import { getConfig, healthReady } from '#schema/contract/operations/health.ts'
import type { Deps } from '../../platform/deps.ts'
import { type GuardState, readGuardState } from '../../platform/rewind/guard.ts'
import { AppError } from '../errors.ts'

const RETRY_SECONDS = 15

/** Also served from a restored database: none of these trusts a credential or shows user content. */
const servedPaths: ReadonlySet<string> = new Set([healthReady.path, getConfig.path])

/**
 * Public videos keep playing, since an erased video has no files. Signed videos depend on tokens that may have been
 * revoked, and subtitles are user content.
 */
const isPublicVideo = (path: string): boolean =>
	path.startsWith('/media/') && !path.includes('/~') && !/\.(vtt|srt)$/.test(path)

const messages: Record<Exclude<GuardState, 'current'>, string> = {
	repairing: 'the database was restored and is being repaired; try again soon',
	foreign: 'the storage of this installation belongs to another installation; its log says more',
	unknown: 'the state of the database is not known at the moment; try again',
}

/** Throws 503 unless the database is current, or the request is harmless. Free while the state is cached. */
export async function requireCurrentDatabase(deps: Deps, { method, path }: { method: string; path: string }) {
	if (method === 'OPTIONS' || servedPaths.has(path) || isPublicVideo(path)) return
	const state = await readGuardState(deps)
	if (state === 'current') return
	throw new AppError('unavailable', messages[state], { headers: { 'retry-after': String(RETRY_SECONDS) } })
}
