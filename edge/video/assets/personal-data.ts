import * as video from '#schema/tables/video/assets.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const assetsPersonalData: Partial<PersonalData> = {
	orgKeys: [video.assetTerms.orgId, video.assetSearch.orgId, video.spokenTerms.orgId],
	keptOrgKeys: [video.assets.orgId, video.trashedAssets.orgId],
	impersonal: [
		[video.assets.transcriptBy, 'whether a person or an engine wrote the transcript'],
		[video.trashedAssets.transcriptBy, 'whether a person or an engine wrote the transcript'],
	],
}
