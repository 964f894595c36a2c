import { getAsset } from '../assets/assets.ts'
import { findPlayable } from '../assets/playable.ts'
import type { AssetRow, PlayableRow } from '../assets/store.ts'
import type { KeyHolder, Person } from '../http/caller.ts'
import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'

/** One that is not ready is like one that never was. */
export async function getPlayable(deps: Deps, playbackId: string): Promise<PlayableRow> {
	const row = await findPlayable(deps, playbackId)
	if (!row) throw new AppError('not_found', 'playback not found')
	return row
}

export function mayEdit(viewer: Person | KeyHolder | undefined, { orgId }: PlayableRow): boolean {
	if (viewer?.org?.id !== orgId || viewer.org.suspended) return false
	if (viewer.kind === 'person') return viewer.role !== null
	return viewer.scopes.includes('write') || viewer.scopes.includes('admin')
}

export async function getOwnPlayback(deps: Deps, orgId: string, assetId: string): Promise<AssetRow> {
	const asset = await getAsset(deps, orgId, assetId)
	if (asset.status !== 'ready' || asset.manifestKey === null)
		throw new AppError('conflict', `the asset is not ready to be played; it is ${asset.status}`)
	return asset
}
