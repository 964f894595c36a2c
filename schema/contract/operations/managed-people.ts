import { MemberParams } from '../community/manage/memberships.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Community management')

export const exportManagedMember = operation({
	id: 'exportManagedMember',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}/export',
	summary: 'Export the personal data of a managed member as a zip of JSON files',
	description:
		'For the person, who has no account to ask for it: the same files as `GET /api/users/account/export/`. Returns 409 for a member with an account.',
	auth: 'admin',
	keyScope: 'members:write',
	params: MemberParams,
	answersWith: 'application/zip',
	errors: ['conflict'],
})
