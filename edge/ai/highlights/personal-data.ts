import { highlights } from '#schema/tables/ai/highlights.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const highlightsPersonalData: Partial<PersonalData> = {
	keptOrgKeys: [highlights.orgId],
}
