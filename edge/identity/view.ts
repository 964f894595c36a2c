import type { User } from '#schema/contract/identity.ts'
import { iso } from '../platform/clock.ts'
import type { SessionRow } from './store.ts'

type Person = {
	id: number
	email: string
	name: string
	isSuperadmin: boolean
	hasPassword: boolean
	createdAt: number
}

export const viewUser = (person: Person): User => ({
	id: person.id,
	email: person.email,
	name: person.name,
	isSuperadmin: person.isSuperadmin,
	hasPassword: person.hasPassword,
	createdAt: iso(person.createdAt),
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
