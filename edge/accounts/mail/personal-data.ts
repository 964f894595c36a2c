import * as platform from '#schema/tables/platform.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const mailPersonalData: Partial<PersonalData> = {
	orgKeys: [platform.mailReports.orgId],
}
