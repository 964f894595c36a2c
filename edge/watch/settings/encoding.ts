import { VideoCodec } from '#schema/contract/video/tasks.ts'
import type { EncodingSettings } from '#schema/contract/watch/settings/settings.ts'
import { getOrg, updateOrg } from '../../accounts/orgs/orgs.ts'
import type { OrgRow } from '../../accounts/orgs/store.ts'
import type { Deps } from '../../platform/deps.ts'

export const viewEncoding = ({ videoCodecs }: Pick<OrgRow, 'videoCodecs'>): EncodingSettings => ({
	codecs: videoCodecs,
})

export const readEncoding = async (deps: Deps, orgId: string): Promise<EncodingSettings> =>
	viewEncoding(await getOrg(deps, orgId))

/** Stores the codecs in a fixed order, whatever their order in the request. */
export async function changeEncoding(
	deps: Deps,
	orgId: string,
	{ codecs }: { codecs?: readonly VideoCodec[] | undefined },
): Promise<EncodingSettings> {
	const videoCodecs = codecs && VideoCodec.options.filter((codec) => codecs.includes(codec))
	return viewEncoding(await updateOrg(deps, orgId, { videoCodecs }))
}
