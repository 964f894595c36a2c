import { sql } from 'drizzle-orm'
import * as identity from '#schema/tables/accounts/identity.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const orgsPersonalData: Partial<PersonalData> = {
	personKeys: [
		{
			column: identity.orgInvitations.email,
			holds: 'email',
			onDeletion: 'delete',
			description: 'invitations to organizations, sent to your address',
		},
		{
			// Must be deleted: without its sender, an invitation would count as sent by an API key and stay valid.
			column: identity.orgInvitations.invitedByUserId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'invitations to organizations that you sent',
		},
		{
			column: identity.apiKeys.createdByUserId,
			holds: 'user id',
			onDeletion: 'delete',
			description:
				'API keys that you created for organizations; they stop working when your account is deleted',
		},
		{
			column: identity.orgs.createdByUserId,
			holds: 'user id',
			onDeletion: 'null',
			description: 'organizations that you created',
		},
		{
			column: identity.orgMembers.userId,
			holds: 'user id',
			onDeletion: 'delete',
			// The final batch transfers ownership, so it needs the owner rows.
			early: sql`${identity.orgMembers.role} <> 'owner'`,
			description: 'your memberships in organizations',
		},
	],
	erasedSeparately: [
		/** The first organization of an account is named after the person. */
		identity.orgs.name,
		identity.orgs.slug,
	],
	impersonal: [[identity.apiKeys.name, 'the name of a key, chosen by the organization']],
	orgKeys: [identity.apiKeys.orgId, identity.orgInvitations.orgId, identity.usageCounters.orgId],
	keptOrgKeys: [identity.orgMembers.orgId],
	secretColumns: [identity.orgInvitations.nonce, identity.orgInvitations.tokenHash, identity.apiKeys.keyHash],
}
