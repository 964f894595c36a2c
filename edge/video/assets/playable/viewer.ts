import type { KeyHolder, Person } from '../../../http/caller.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../assets.ts'
import type { AssetRow, PlayableRow } from '../store.ts'
import { findPlayable } from './playable.ts'
import { isPlaybackToken, type TokenAudience } from './playback-tokens.ts'

/** The caller of a playback request: anonymous, with a playback token, or with a credential. */
export type Viewer = {
	playbackId: string
	token: string | undefined
	caller?: Person | KeyHolder | undefined
}

export const playbackNotFoundError = () => notFoundError('playback')

/** Returns an asset that is ready. A signed asset requires a playback token or a credential of its organization. */
export async function getPlayable(
	deps: Deps,
	viewer: Viewer,
	audience: TokenAudience = 'v',
): Promise<PlayableRow> {
	const row = await findPlayable(deps, viewer.playbackId)
	if (!row) throw playbackNotFoundError()
	if (row.visibility === 'signed' && !isCallerOfOrg(viewer.caller, row)) {
		if (!(await isPlaybackToken(deps, row, audience, viewer.token)))
			throw new AppError(
				'forbidden',
				'this video requires a playback token; it is missing, invalid or expired',
			)
	}
	return row
}

export const isCallerOfOrg = (caller: Person | KeyHolder | undefined, { orgId }: PlayableRow): boolean =>
	caller?.org?.id === orgId &&
	caller.org.suspension !== 'full' &&
	(caller.kind === 'key' ? mayRead(caller) : caller.role !== null)

const mayRead = ({ scopes }: KeyHolder) =>
	scopes.some((scope) => scope === 'read' || scope === 'write' || scope === 'admin')

export function mayEdit(caller: Person | KeyHolder | undefined, row: PlayableRow): boolean {
	if (!isCallerOfOrg(caller, row)) return false
	return caller?.kind !== 'key' || caller.scopes.some((scope) => scope === 'write' || scope === 'admin')
}

export async function getOwnPlayback(
	deps: Deps,
	orgId: string,
	assetId: string,
): Promise<AssetRow & { manifestKey: string }> {
	const asset = await getAsset(deps, orgId, assetId)
	const { manifestKey } = asset
	if (asset.status !== 'ready' || manifestKey === null)
		throw new AppError(
			'conflict',
			`the asset can't be played while its status is ${asset.status}; wait until it is ready`,
		)
	return { ...asset, manifestKey }
}
