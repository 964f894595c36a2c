import * as transcoding from '#schema/tables/video/transcoding.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const transcodingPersonalData: Partial<PersonalData> = {
	keptOrgKeys: [transcoding.jobs.orgId, transcoding.tasks.orgId, transcoding.taskFailures.orgId],
}
