import * as deletion from '#schema/tables/operations/account-deletion.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const accountDeletionPersonalData: Partial<PersonalData> = {
	erasedSeparately: [deletion.accountDeletionRequests.userId, deletion.accountDeletionLogs.details],
	impersonal: [
		[
			deletion.erasureLedger.userId,
			'identifies nobody any more; keeps a restored backup from bringing them back',
		],
	],
	secretColumns: [
		deletion.accountDeletionRequests.tokenNonce,
		deletion.accountDeletionRequests.cancellationTokenHash,
	],
}
