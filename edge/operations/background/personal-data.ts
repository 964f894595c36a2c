import * as platform from '#schema/tables/platform.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const backgroundPersonalData: Partial<PersonalData> = {
	impersonal: [
		[
			platform.outbox.payload,
			'ids; titles and error messages of public events for 30 days, those of other events until the event is handled (edge/platform/outbox/outbox.ts)',
		],
		[platform.idempotencyKeys.answer, 'sealed under a key that only the caller has; deleted after a day'],
		[platform.deadLetters.body, 'addresses and texts are removed before it is stored (edge/queue.ts)'],
	],
	keptOrgKeys: [platform.outbox.orgId],
}
