import { VideoCodec } from '#schema/contract/video/tasks.ts'
import type { EncodingSettings } from '#schema/contract/watch/settings/settings.ts'
import { updateOrg } from '../../accounts/orgs/orgs.ts'
import type { OrgRow } from '../../accounts/orgs/store.ts'
import type { Deps } from '../../platform/deps.ts'

export const viewEncoding = ({ videoCodecs }: Pick<OrgRow, 'videoCodecs'>): EncodingSettings => ({
	codecs: videoCodecs,
})

/** Stores the codecs in a fixed order, whatever their order in the request. */
export async function changeEncoding(
	deps: Deps,
	orgId: string,
	{ codecs }: { codecs?: readonly VideoCodec[] | undefined },
	before?: OrgRow,
): Promise<OrgRow> {
	const videoCodecs = codecs && VideoCodec.options.filter((codec) => codecs.includes(codec))
	return updateOrg(deps, orgId, { videoCodecs }, before && { videoCodecs: before.videoCodecs })
}
