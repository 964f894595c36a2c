import * as platform from '#schema/tables/platform.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const secretRotationPersonalData: Partial<PersonalData> = {
	impersonal: [[platform.dataKeys.name, 'the purpose of a key of the installation']],
	secretColumns: [platform.dataKeys.sealed],
}
