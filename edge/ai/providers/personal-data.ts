import * as ai from '#schema/tables/ai/providers.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const aiProvidersPersonalData: Partial<PersonalData> = {
	orgKeys: [
		ai.aiEngines.orgId,
		ai.aiBudgets.orgId,
		ai.aiBreakers.orgId,
		ai.aiCalls.orgId,
		ai.aiDeliveries.orgId,
	],
	impersonal: [[ai.aiCalls.subject, 'the id of a part of a video']],
	secretColumns: [ai.aiEngines.sealedKey],
}
