import * as platform from '#schema/tables/platform.ts'
import type { PersonalData } from '../platform/personal-data.ts'

export const backgroundPersonalData: Partial<PersonalData> = {
	impersonal: [
		[
			platform.outbox.payload,
			'ids; texts are removed once the event is handled (edge/platform/outbox/outbox.ts), the row after 30 days',
		],
		[platform.idempotencyKeys.answer, 'sealed under a key that only the caller has; deleted after a day'],
		[platform.deadLetters.body, 'addresses and texts are removed before it is stored (edge/queue.ts)'],
	],
	keptOrgKeys: [platform.outbox.orgId],
}
