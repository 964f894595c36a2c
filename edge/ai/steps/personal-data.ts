import { aiSteps } from '#schema/tables/ai/steps.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const stepsPersonalData: Partial<PersonalData> = {
	keptOrgKeys: [aiSteps.orgId],
}
