import { createApiKey } from '../../../schema/contract/accounts/api-keys.ts'
import { signup } from '../../../schema/contract/accounts/identity.ts'
import { createCommunity } from '../../../schema/contract/community/manage/communities.ts'
import { createMemberToken } from '../../../schema/contract/community/member/tokens.ts'
import { createClient } from '../../../schema/contract/kit/client.ts'
import { CALLERS, fillStatements, MODERATOR, PUPIL, type Size, toId } from './data.ts'
import type { CallerKind, RequestSpec } from './requests.ts'
import type { Side } from './workers.ts'

export type MeasuredResponse = { ms: number; text: string; statements: number }
export type CommunityFixture = {
	size: Size
	ask: (request: RequestSpec, n: number, url?: string) => Promise<MeasuredResponse>
}

/** Creates the callers through the API; all other rows are inserted by SQL. */
export async function openCommunity(side: Side, size: Size): Promise<CommunityFixture> {
	const client = createClient({ baseUrl: side.url, fetch })
	const person = { email: 'owner@example.org', password: 'correct horse battery', name: 'Owner' }
	const { token: owner, org } = (await client.call(signup, { body: person })).data
	// Verifies the owner's address, which is required to invite.
	await retry(() => side.database.prepare('update users set email_verified_at = created_at').run())
	const open = async (slug: string) =>
		(await client.call(createCommunity, { body: { name: slug, slug } }, { token: owner })).data.id
	const ids = { fixture: await open('fixture'), school: await open('school'), now: Date.now() }
	for (const sql of fillStatements(ids, size)) await retry(() => side.database.prepare(sql).run())
	const keyInput = { params: { orgId: org.id }, body: { name: 'bench', scopes: ['headless:auth' as const] } }
	const { key } = (await client.call(createApiKey, keyInput, { token: owner })).data
	const tokenOf = async (i: number) => {
		const body = { community_member_id: toId(i) }
		return (await client.call(createMemberToken, { body }, { token: key })).access_token
	}
	const callers: string[] = []
	for (let i = 1; i <= CALLERS; i++) callers.push(await tokenOf(i))
	const tokens = { moderator: await tokenOf(MODERATOR), pupil: await tokenOf(PUPIL), owner, key }
	const bearerOf = (who: CallerKind, n: number) =>
		who === 'anonymous' ? undefined : who === 'member' ? callers[n % CALLERS] : tokens[who]

	return {
		size,
		async ask({ op, who, params, query, body, bytes, token }, n, url = side.url) {
			const parameters: Record<string, string | number> = { communityId: ids.fixture, ...params }
			const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]))
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
			if (!response.ok) throw new Error(`${op.id} ${path} returned ${response.status}: ${text}`)
			const [, statements] = /sql;desc="(\d+)"/.exec(response.headers.get('server-timing') ?? '') ?? []
			return { ms, text, statements: Number(statements) }
		},
	}
}

/** Retries, because a connection breaks now and then on an overloaded machine. */
async function retry(act: () => Promise<unknown>, tries = 5): Promise<void> {
	for (let i = 1; ; i++)
		try {
			return void (await act())
		} catch (error) {
			if (i === tries) throw error
		}
}
