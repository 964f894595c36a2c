import type { User } from '#schema/contract/accounts/identity.ts'
import type { Session } from '#schema/contract/accounts/sessions.ts'
import { toIso } from '../../platform/clock.ts'
import { toPlace } from '../../platform/network/place.ts'
import { describeDevice } from '../../platform/network/user-agent.ts'
import type { ImpersonationRow } from './impersonation/store.ts'
import type { SessionRow } from './session-store.ts'
import type { UserRow } from './store.ts'

type OpenImpersonation = { impersonation: ImpersonationRow; impersonatorEmail: string }

type Person = {
	id: number
	email: string
	name: string
	isSuperadmin: boolean
	hasPassword: boolean
	emailVerified: boolean
	hasSecondFactor: boolean
	createdAt: number
}

export const viewUser = (person: Person): User => ({
	id: person.id,
	email: person.email,
	name: person.name,
	isSuperadmin: person.isSuperadmin,
	hasPassword: person.hasPassword,
	emailVerified: person.emailVerified,
	hasSecondFactor: person.hasSecondFactor,
	createdAt: toIso(person.createdAt),
})

/** Returns the user row without its password hash, in the form that views and tokens need. */
export const toPerson = ({ passwordHash, emailVerifiedAt, secondFactorAt, ...user }: UserRow) => ({
	...user,
	hasPassword: passwordHash !== null,
	emailVerified: emailVerifiedAt !== null,
	hasSecondFactor: secondFactorAt !== null,
})

export const viewSession = (session: SessionRow, currentId: string): Session => ({
	id: session.id,
	createdAt: toIso(session.createdAt),
	lastSeenAt: toIso(session.lastSeenAt),
	expiresAt: toIso(session.expiresAt),
	userAgent: session.userAgent,
	ip: session.ip,
	device: describeDevice(session.userAgent),
	place: toPlace(session),
	impersonator: null,
	current: session.id === currentId,
})

/** Says nothing about the computer of the superadmin. */
export const viewOpenImpersonation = ({ impersonation, impersonatorEmail }: OpenImpersonation): Session => ({
	id: impersonation.id,
	createdAt: toIso(impersonation.createdAt),
	lastSeenAt: toIso(impersonation.lastSeenAt ?? impersonation.createdAt),
	expiresAt: toIso(impersonation.expiresAt),
	userAgent: '',
	ip: '',
	device: null,
	place: { country: null, network: null },
	impersonator: { email: impersonatorEmail, orgId: impersonation.orgId },
	current: false,
})
