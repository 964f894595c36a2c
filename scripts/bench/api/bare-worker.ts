import type { D1Database } from '@cloudflare/workers-types'
import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { verify } from 'hono/jwt'

/**
 * The minimum cost of the same responses: hono, a token check and the same statements. Has no validation, query
 * builder, limits, security headers or log.
 */
type Bindings = { DB: D1Database; SECRET: string }
type Session = { sid: string; sub: string; org: string }
type Row = Record<string, unknown>

const findPerson = `select "users"."id" as "userId", "users"."email", "users"."name", "users"."is_superadmin", "users"."token_version",
"users"."password_hash" is not null as "has_password", "users"."created_at", "sessions"."expires_at", "sessions"."last_seen_at",
"orgs"."id" as "org_id", "orgs"."slug", "orgs"."tier", "orgs"."suspended_at", "org_members"."role"
from "sessions" inner join "users" on "users"."id" = "sessions"."user_id"
left join "orgs" on "orgs"."id" = ? left join "org_members" on ("org_members"."org_id" = "orgs"."id" and "org_members"."user_id" = "users"."id")
where ("sessions"."id" = ? and "sessions"."user_id" = ?)`

const listMemberships = `select "orgs"."id" as "orgId", "orgs"."slug", "orgs"."name", "org_members"."role", "orgs"."suspended_at"
from "org_members" inner join "orgs" on "orgs"."id" = "org_members"."org_id"
where "org_members"."user_id" = ? order by "org_members"."created_at" asc, "orgs"."id" asc`

const listMembers = `select "users"."id" as "userId", "users"."email", "users"."name", "org_members"."role", "org_members"."created_at"
from "org_members" inner join "users" on "users"."id" = "org_members"."user_id"
where "org_members"."org_id" = ? order by "org_members"."created_at" asc, "org_members"."user_id" asc limit ?`

const iso = (instant: unknown) => new Date(instant as number).toISOString()

async function personOf(c: Context<{ Bindings: Bindings }>, orgIdInPath?: string) {
	const token = c.req.header('authorization')?.slice('Bearer '.length) ?? ''
	const { sid, sub, org } = (await verify(token, c.env.SECRET, 'HS256')) as Session
	const { results } = await c.env.DB.prepare(findPerson)
		.bind(orgIdInPath ?? org, sid, Number(sub))
		.all<Row>()
	const [person] = results
	if (!person || person.role === null) throw new HTTPException(401)
	return { ...person, sid }
}

const app = new Hono<{ Bindings: Bindings }>()

app.get('/health/live', (c) => c.json({ ok: true }))

app.get('/v1/auth/me', async (c) => {
	const person: Row & { sid: string } = await personOf(c)
	const { results } = await c.env.DB.prepare(listMemberships).bind(person.userId).all<Row>()
	return c.json({
		data: {
			user: {
				id: person.userId,
				email: person.email,
				name: person.name,
				isSuperadmin: person.is_superadmin === 1,
				hasPassword: person.has_password === 1,
				createdAt: iso(person.created_at),
			},
			sessionId: person.sid,
			memberships: results.map(({ suspended_at, ...membership }) => ({
				...membership,
				suspended: suspended_at !== null,
				current: membership.orgId === person.org_id,
			})),
		},
	})
})

app.get('/v1/orgs/:orgId/members', async (c) => {
	const orgId = c.req.param('orgId')
	await personOf(c, orgId)
	const { results } = await c.env.DB.prepare(listMembers).bind(orgId, 101).all<Row>()
	return c.json({
		data: results.map(({ created_at, ...member }) => ({ ...member, joinedAt: iso(created_at) })),
	})
})

export default app
