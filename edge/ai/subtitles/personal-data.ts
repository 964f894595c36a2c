import { subtitleTranslations } from '#schema/tables/ai/translations.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const subtitlesPersonalData: Partial<PersonalData> = {
	keptOrgKeys: [subtitleTranslations.orgId],
}
