import { expect, test } from 'vitest'
import { decideSpacePolicies } from '../../../../edge/community/spaces/policies.ts'
import { CommunityRole, SpacePolicy } from '../../../../schema/contract/community/fields.ts'

const rolesThatWrite = {
	everyone: ['owner', 'admin', 'moderator', 'member'],
	moderators: ['owner', 'admin', 'moderator'],
	admins: ['owner', 'admin'],
	nobody: [],
} satisfies Record<SpacePolicy, CommunityRole[]>

test('each policy of a space lets its lowest role and all higher roles write', () => {
	for (const policy of SpacePolicy.options)
		for (const role of CommunityRole.options) {
			const canWrite = (rolesThatWrite[policy] as CommunityRole[]).includes(role)
			const posting = decideSpacePolicies(role, { postPolicy: policy, commentPolicy: 'nobody' })
			const commenting = decideSpacePolicies(role, { postPolicy: 'nobody', commentPolicy: policy })
			const nothing = { can_create_post: false, can_create_event: false, can_create_comment: false }
			expect(posting, `${role} ${policy}`).toEqual({
				...nothing,
				can_create_post: canWrite,
				can_create_event: canWrite && role !== 'member',
			})
			expect(commenting, `${role} ${policy}`).toEqual({ ...nothing, can_create_comment: canWrite })
		}
})
