import { z } from 'zod'
import { OrgRole } from '../../accounts/roles.ts'
import { data, OrgId, pathInt, Timestamp, UserId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { SEARCH_LIMIT, SearchText } from './limits.ts'

const operation = describeOperations('Operators')

export const AdminUser = z
	.object({
		id: UserId,
		email: z.string().nullable().meta({ description: 'null for a managed member of a community' }),
		name: z.string(),
		emailVerified: z.boolean(),
		superadmin: z.boolean(),
		lockedAt: Timestamp.nullable(),
		createdAt: Timestamp,
	})
	.meta({ id: 'AdminUser' })
export type AdminUser = z.infer<typeof AdminUser>

const AdminUserDetail = AdminUser.extend({
	sessions: z.int().nonnegative(),
	lastSeenAt: Timestamp.nullable().meta({ description: 'Of the sessions that have not ended' }),
	orgs: z
		.array(z.object({ id: OrgId, name: z.string(), slug: z.string(), role: OrgRole }))
		.meta({ description: 'The first 200' }),
}).meta({ id: 'AdminUserDetail' })

export const listUsers = operation({
	id: 'listUsers',
	method: 'get',
	path: '/v1/admin/users',
	summary: 'List the people of the installation, newest first',
	description: `With \`q\`, finds the person with this id, and people whose address or name starts with it. The case of the letters a to z is ignored. A search finds at most ${SEARCH_LIMIT} people by address and as many by name, so send more letters if yours is missing. Unknown parameters get 400.`,
	auth: 'superadmin',
	query: PageQuery.extend({
		q: z.union([SearchText, z.string().regex(/^\d$/)]).optional(),
		only: z.enum(['superadmins', 'locked']).optional(),
	}),
	paged: true,
	response: dataPage(AdminUser),
})

const UserParams = z.object({ userId: pathInt })

export const getUser = operation({
	id: 'getUser',
	method: 'get',
	path: '/v1/admin/users/{userId}',
	summary: 'Get an account with its sessions and organizations',
	auth: 'superadmin',
	params: UserParams,
	response: data(AdminUserDetail),
})

export const lockUser = operation({
	id: 'lockUser',
	method: 'post',
	path: '/v1/admin/users/{userId}/lock',
	summary: 'Lock an account',
	description:
		"Ends every session and member token of the account. While it is locked, nobody can sign in to it or create a member token for it, and API keys that it created are rejected. Superadmins can't be locked; demote them first. Locking a locked account changes nothing.",
	auth: 'superadmin',
	audit: 'user.locked',
	recentProof: true,
	params: UserParams,
	response: data(AdminUser),
	errors: ['conflict'],
})

export const unlockUser = operation({
	id: 'unlockUser',
	method: 'post',
	path: '/v1/admin/users/{userId}/unlock',
	summary: 'Unlock an account',
	description: 'API keys of the account work again. Sessions and member tokens stay ended.',
	auth: 'superadmin',
	audit: 'user.unlocked',
	recentProof: true,
	params: UserParams,
	response: data(AdminUser),
})

export const endUserSessions = operation({
	id: 'endUserSessions',
	method: 'delete',
	path: '/v1/admin/users/{userId}/sessions',
	summary: 'End every session and member token of an account',
	auth: 'superadmin',
	audit: 'user.sessions_ended',
	recentProof: true,
	params: UserParams,
	response: data(z.object({ ended: z.int().nonnegative() })),
})

export const promoteUser = operation({
	id: 'promoteUser',
	method: 'put',
	path: '/v1/admin/users/{userId}/superadmin',
	summary: 'Make an account a superadmin',
	description:
		'The account must have a verified email address and must not be locked. With `SUPERADMIN_SECOND_FACTOR`, it must have a second factor.',
	auth: 'superadmin',
	audit: 'superadmin.granted',
	recentProof: true,
	params: UserParams,
	response: data(AdminUser),
	errors: ['conflict'],
})

export const demoteUser = operation({
	id: 'demoteUser',
	method: 'delete',
	path: '/v1/admin/users/{userId}/superadmin',
	summary: 'Take the rights of a superadmin from an account',
	description: "The last superadmin can't be demoted.",
	auth: 'superadmin',
	audit: 'superadmin.revoked',
	recentProof: true,
	params: UserParams,
	response: data(AdminUser),
	errors: ['conflict'],
})
