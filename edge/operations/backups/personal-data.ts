import { backups } from '#schema/tables/operations/backups.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const backupsPersonalData: Partial<PersonalData> = { secretColumns: [backups.sealedKey] }
