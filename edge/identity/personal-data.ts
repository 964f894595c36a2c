import * as identity from '#schema/tables/identity.ts'
import type { PersonalData } from '../platform/personal-data.ts'

export const identityPersonalData: Partial<PersonalData> = {
	personKeys: [
		{
			column: identity.sessions.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'your sessions, with IP addresses and browsers',
		},
		{
			column: identity.otpCodes.email,
			holds: 'email',
			onDeletion: 'delete',
			description: 'sign-in codes that were sent to your address',
		},
		{
			column: identity.addressCodes.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'codes that you requested to verify or change your address',
		},
		{
			column: identity.addressCodes.email,
			holds: 'email',
			onDeletion: 'delete',
			description: 'codes that were sent to your address to use it for an account',
		},
		{
			column: identity.signInOrigins.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'networks and browsers that you signed in from, stored as hashes',
		},
	],
	erasedWithRow: [
		identity.users.email,
		identity.users.emailVerifiedAt,
		identity.users.name,
		identity.users.signupName,
		identity.sessions.ip,
		identity.sessions.userAgent,
	],
	erasedSeparately: [identity.users.id],
	impersonal: [[identity.attempts.subject, 'a keyed hash that is deleted within a day']],
	secretColumns: [
		identity.users.passwordHash,
		identity.users.tokenVersion,
		identity.otpCodes.codeHash,
		identity.otpCodes.asker,
		identity.sessions.renewalId,
		identity.sessions.formerRenewalId,
		identity.addressCodes.codeHash,
		identity.signInOrigins.originHash,
	],
}
