import * as fleet from '#schema/tables/video/fleet.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const fleetPersonalData: Partial<PersonalData> = {
	impersonal: [[fleet.machines.name, 'the name of a machine']],
}
