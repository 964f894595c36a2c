import type { Theme } from '#schema/contract/watch/settings/branding.ts'
import type { OrgRow } from '../../accounts/orgs/store.ts'
import { notFoundError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { deleteCachedPublicVideos, findPlayable } from '../../video/assets/playable/playable.ts'
import { isPlaybackToken } from '../../video/assets/playable/playback-tokens.ts'
import { readEmbedDomains } from './embed-domains.ts'
import { pickEditableSettings, type SettingsChange, settingsStore } from './store.ts'

type SettingsPatch = {
	primaryColor?: string | undefined
	theme?: Theme | undefined
	logoUrl?: null | undefined
	player?: SettingsChange['player'] | undefined
	analytics?: SettingsChange['analytics'] | undefined
	allowedEmbedDomains?: readonly string[] | undefined
}

/** Changes the fields that were sent, with `before` only if none has changed since. Cached playback records show the former branding for up to 60 s. */
export async function changeSettings(
	deps: Deps,
	orgId: string,
	{ logoUrl, allowedEmbedDomains, ...patch }: SettingsPatch,
	before?: OrgRow,
): Promise<OrgRow> {
	const change: SettingsChange = {
		...omitUndefined(patch),
		...(logoUrl === null && { logoKey: null }),
		...(allowedEmbedDomains && { allowedEmbedDomains: readEmbedDomains(allowedEmbedDomains) }),
	}
	const org = await settingsStore(deps.db).change(
		deps.work,
		orgId,
		change,
		before && pickEditableSettings(before),
	)
	if (!org) throw notFoundError('organization')
	if (allowedEmbedDomains) await deleteCachedPublicVideos()
	if (logoUrl === null) deps.defer(queuePurges(deps))
	return org
}

type Named = { playbackId?: string | undefined; token?: string | undefined; org?: string | undefined }

/** Finds an organization by its slug, or by a video that the caller may watch. Popular videos cost no SQL. */
export async function getPublicSettings(deps: Deps, { playbackId, token, org: slug = '' }: Named) {
	if (playbackId === undefined) {
		const org = await settingsStore(deps.db).findPublic(slug)
		if (!org) throw notFoundError('organization')
		return org
	}
	const video = await findPlayable(deps, playbackId)
	if (!video || (video.visibility === 'signed' && !(await isPlaybackToken(deps, video, 'v', token))))
		throw notFoundError('playback')
	return video.org
}
