import type { User } from '#schema/contract/platform/identity.ts'
import { iso } from '../platform/clock.ts'
import type { SessionRow } from './session-store.ts'
import type { UserRow } from './store.ts'

type Person = {
	id: number
	email: string
	name: string
	isSuperadmin: boolean
	hasPassword: boolean
	emailVerified: boolean
	createdAt: number
}

export const viewUser = (person: Person): User => ({
	id: person.id,
	email: person.email,
	name: person.name,
	isSuperadmin: person.isSuperadmin,
	hasPassword: person.hasPassword,
	emailVerified: person.emailVerified,
	createdAt: iso(person.createdAt),
})

/** Returns the user row without its password hash, in the form that views and tokens need. */
export const personOf = ({ passwordHash, emailVerifiedAt, ...user }: UserRow) => ({
	...user,
	hasPassword: passwordHash !== null,
	emailVerified: emailVerifiedAt !== null,
})

export const viewSession = (session: SessionRow, currentId: string) => ({
	id: session.id,
	createdAt: iso(session.createdAt),
	lastSeenAt: iso(session.lastSeenAt),
	expiresAt: iso(session.expiresAt),
	userAgent: session.userAgent,
	ip: session.ip,
	current: session.id === currentId,
})
