import { createClient } from '../../../schema/contract/client.ts'
import { createCommunity } from '../../../schema/contract/community/communities.ts'
import { createMemberToken } from '../../../schema/contract/community/tokens.ts'
import { signup } from '../../../schema/contract/identity.ts'
import { createApiKey } from '../../../schema/contract/orgs.ts'
import { CALLERS, fillings, idOf, MODERATOR, PUPIL, type Size } from './data.ts'
import type { Asked, Who } from './requests.ts'
import type { Side } from './workers.ts'

export type Answer = { ms: number; text: string; statements: number }
export type Club = { size: Size; ask: (asked: Asked, n: number, url?: string) => Promise<Answer> }

/** Who asks is made as people make it; the rest is written as rows. */
export async function openClub(side: Side, size: Size): Promise<Club> {
	const client = createClient({ baseUrl: side.url, fetch })
	const person = { email: 'owner@example.org', password: 'correct horse battery', name: 'Owner' }
	const { token: owner, org } = (await client.call(signup, { body: person })).data
	// As if the code of the mail had been typed in: only then may the owner invite.
	await insist(() => side.database.prepare('update users set email_verified_at = created_at').run())
	const open = async (slug: string) =>
		(await client.call(createCommunity, { body: { name: slug, slug } }, { token: owner })).data.id
	const ground = { club: await open('club'), school: await open('school'), now: Date.now() }
	for (const sql of fillings(ground, size)) await insist(() => side.database.prepare(sql).run())
	const keyInput = { params: { orgId: org.id }, body: { name: 'bench', scopes: ['headless:auth' as const] } }
	const { key } = (await client.call(createApiKey, keyInput, { token: owner })).data
	const tokenOf = async (i: number) => {
		const body = { community_member_id: idOf(i) }
		return (await client.call(createMemberToken, { body }, { token: key })).access_token
	}
	const callers: string[] = []
	for (let i = 1; i <= CALLERS; i++) callers.push(await tokenOf(i))
	const tokens = { moderator: await tokenOf(MODERATOR), pupil: await tokenOf(PUPIL), owner, key }
	const bearerOf = (who: Who, n: number) =>
		who === 'nobody' ? undefined : who === 'member' ? callers[n % CALLERS] : tokens[who]

	return {
		size,
		async ask({ op, who, params, query, body, bytes, token }, n, url = side.url) {
			const known: Record<string, string | number> = { communityId: ground.club, ...params }
			const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(known[name]))
			const bearer = token ?? bearerOf(who, n)
			const request = {
				method: op.method.toUpperCase(),
				headers: {
					...(bearer && { authorization: `Bearer ${bearer}` }),
					...(body !== undefined && { 'content-type': 'application/json' }),
					...(bytes && { 'content-type': 'image/png' }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
				...(bytes && { body: bytes }),
			}
			const sentAt = performance.now()
			const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`, request)
			const text = await response.text()
			const ms = performance.now() - sentAt
			if (!response.ok) throw new Error(`${op.id} ${path} answered ${response.status}: ${text}`)
			const [, statements] = /sql;desc="(\d+)"/.exec(response.headers.get('server-timing') ?? '') ?? []
			return { ms, text, statements: Number(statements) }
		},
	}
}

/** On a machine that is short of everything a connection breaks now and then. */
async function insist(act: () => Promise<unknown>, tries = 5): Promise<void> {
	for (let i = 1; ; i++)
		try {
			return void (await act())
		} catch (error) {
			if (i === tries) throw error
		}
}
