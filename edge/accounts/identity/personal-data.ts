import * as identity from '#schema/tables/accounts/identity.ts'
import { impersonations } from '#schema/tables/accounts/impersonations.ts'
import * as secondFactor from '#schema/tables/accounts/second-factor.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

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
		{
			column: impersonations.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'when a superadmin acted as you, and why',
		},
		{
			column: impersonations.impersonatorId,
			holds: 'user id',
			onDeletion: 'null',
			description: 'when you acted as a member of an organization, and why',
		},
		{
			column: secondFactor.totpSecrets.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'your authenticator app, without its secret',
		},
		{
			column: secondFactor.recoveryCodes.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'your recovery codes, stored as hashes',
		},
		{
			column: secondFactor.passkeys.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'your passkeys, with the names that you gave them',
		},
	],
	erasedWithRow: [
		identity.users.email,
		identity.users.emailVerifiedAt,
		identity.users.name,
		identity.users.signupName,
		identity.users.preferences,
		identity.sessions.ip,
		identity.sessions.userAgent,
		secondFactor.passkeys.name,
	],
	erasedSeparately: [identity.users.id],
	impersonal: [[identity.attempts.subject, 'a keyed hash that is deleted within a day']],
	orgKeys: [impersonations.orgId],
	secretColumns: [
		identity.users.passwordHash,
		identity.users.tokenVersion,
		identity.users.managedKey,
		identity.otpCodes.codeHash,
		identity.otpCodes.asker,
		identity.sessions.renewalId,
		identity.sessions.formerRenewalId,
		identity.addressCodes.codeHash,
		identity.signInOrigins.originHash,
		// An export omits the other person.
		impersonations.impersonatorId,
		impersonations.impersonatorTokenVersion,
		impersonations.sessionId,
		secondFactor.totpSecrets.secret,
		secondFactor.totpSecrets.lastStep,
		secondFactor.recoveryCodes.codeHash,
		secondFactor.passkeys.publicKey,
		secondFactor.passkeys.credentialId,
	],
}
