import * as video from '#schema/tables/video/assets.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const collectionsPersonalData: Partial<PersonalData> = {
	impersonal: [[video.collections.name, 'the name of a collection, chosen by the organization']],
	orgKeys: [video.collections.orgId],
}
