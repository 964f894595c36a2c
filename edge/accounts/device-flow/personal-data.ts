import { deviceRequests } from '#schema/tables/accounts/device-requests.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const deviceFlowPersonalData: Partial<PersonalData> = {
	personKeys: [
		{
			column: deviceRequests.approvedByUserId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'devices that you connected within the last day',
		},
	],
	erasedWithRow: [deviceRequests.deviceName, deviceRequests.ip],
	orgKeys: [deviceRequests.orgId],
	secretColumns: [
		deviceRequests.deviceCodeHash,
		deviceRequests.userCodeHash,
		deviceRequests.approverTokenVersion,
	],
}
