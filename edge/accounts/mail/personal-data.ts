import { mailReports } from '#schema/tables/accounts/mail.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const mailPersonalData: Partial<PersonalData> = {
	orgKeys: [mailReports.orgId],
}
