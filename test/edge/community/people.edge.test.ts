/** @module-tag d1 */
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { listCommunityInvitations } from '#schema/contract/community/manage/invitations.ts'
import * as memberships from '#schema/contract/community/manage/memberships.ts'
import * as members from '#schema/contract/community/member/members.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from './community.ts'

type JsonSchema = {
	properties?: Record<string, JsonSchema>
	description?: string
	$ref?: string
} & Record<string, unknown>

const communityOperations = allOperations.filter(
	({ path }) => path.includes('/headless/') || path.startsWith('/v1/communities'),
)

/** Lists every object schema in the responses, with its location as `operation.path.of.fields`. */
function responseObjects(): [location: string, schema: JsonSchema][] {
	const found: [string, JsonSchema][] = []
	const walk = (value: unknown, location: string, named: Record<string, unknown>): void => {
		if (typeof value !== 'object' || value === null) return
		if (Array.isArray(value)) for (const one of value) walk(one, location, named)
		const schema = value as JsonSchema
		if (schema.$ref) walk(named[schema.$ref.replace('#/$defs/', '')], location, named)
		if (schema.properties) {
			found.push([location, schema])
			for (const [name, field] of Object.entries(schema.properties)) walk(field, `${location}.${name}`, named)
		}
		for (const key of ['items', 'anyOf', 'allOf', 'oneOf']) walk(schema[key], location, named)
	}
	for (const { id, response } of communityOperations) {
		if (!response) continue
		const schema = z.toJSONSchema(response, { unrepresentable: 'any', io: 'output' })
		walk(schema, id, schema.$defs ?? {})
	}
	return found
}

/** Checks whether a schema describes a person. A name is not enough, since spaces have one too. */
const isOfPerson = ({ properties = {} }: JsonSchema) =>
	['avatar_url', 'avatarUrl', 'email', 'user_id', 'userId', 'memberId', 'community_member_id'].some(
		(field) => field in properties,
	)

/** Operations that identify people by other fields, each with the reason. */
const exceptions: Record<string, { field: string | null; why: string }> = {
	listPostFollowers: {
		field: 'membership_id',
		why: 'the specification puts the user id into community_member_id',
	},
	addCommunityMember: {
		field: null,
		why: 'an invited person is not yet a member, and the response contains no data of a person',
	},
}

describe('persons in the contract', () => {
	const people = responseObjects().filter(([, schema]) => isOfPerson(schema))
	const idNameOf = (location: string) => {
		const [id = ''] = location.split('.')
		const { path } = communityOperations.find((op) => op.id === id) as Operation
		return path.startsWith('/v1/') ? 'memberId' : 'community_member_id'
	}

	test('the contract names the membership id of every person alike within a path family', () => {
		expect(people.length).toBeGreaterThan(25)
		const without = people
			.filter(([location]) => !((location.split('.')[0] ?? '') in exceptions))
			.filter(([location, { properties = {} }]) => !(idNameOf(location) in properties))
			.map(([location]) => location)
		// If this fails, add `Author` or `community_member_id: CommunityMemberId` to the schema.
		expect(without).toEqual([])
		for (const [id, { field }] of Object.entries(exceptions)) {
			const shown = people.filter(([location]) => location.split('.')[0] === id)
			expect(shown.length, id).toBeGreaterThan(0)
			for (const [, { properties = {} }] of shown) if (field) expect(properties).toHaveProperty(field)
		}
	})

	test('the contract uses each id name for one kind of id and describes it', () => {
		const kinds = {
			community_member_id: /^The membership/,
			memberId: /^The membership/,
			membership_id: /^The membership/,
		}
		for (const [location, { properties = {} }] of people)
			for (const [name, kind] of Object.entries(kinds)) {
				const field = properties[name]
				if (!field) continue
				const isSpecified = location.startsWith('listPostFollowers') && name === 'community_member_id'
				expect(JSON.stringify(field), `${location}.${name}`).toMatch(/"description"/)
				expect(field.description ?? '', `${location}.${name}`).toMatch(isSpecified ? /^The user id/ : kind)
			}
	})
})

describe('persons in responses', () => {
	let world: World
	let fixture: Community
	let ids: Record<string, number | string>
	let bo: Awaited<ReturnType<Community['member']>>
	let formerMember: Awaited<ReturnType<Community['member']>>
	beforeAll(async () => {
		world = await openWorld()
		// Makes membership ids differ from user ids.
		for (let i = 0; i < 3; i++) await world.person()
		fixture = await openCommunity(world)
		const ada = await fixture.member({ name: 'Ada in the club' })
		bo = await fixture.member({ role: 'moderator' })
		formerMember = await fixture.member({ status: 'inactive' })
		const spaceId = await fixture.space()
		const of = { community_id: fixture.id, created_at: 1 }
		const postId = await fixture.post(spaceId, { author_id: ada.userId, body: 'About the club' })
		await fixture.post(spaceId, { author_id: formerMember.userId })
		const comment = { ...of, post_id: postId, body: 'c', updated_at: 1 }
		const commentId = await insert(world, 'post_comments', { ...comment, author_id: ada.userId })
		await insert(world, 'post_comments', { ...comment, parent_id: commentId, author_id: bo.userId })
		const eventId = await fixture.event(spaceId, { host_id: ada.userId })
		const hiddenId = await fixture.post(spaceId, { author_id: bo.userId, deleted_at: 1, hidden_at: 1 })
		for (const who of [ada, bo, formerMember]) {
			const mine = { membership_id: who.memberId, created_at: 1 }
			await insert(world, 'event_rsvps', { ...mine, event_id: eventId, status: 'going', updated_at: 1 })
			await insert(world, 'post_reactions', { ...mine, post_id: postId, emoji: 'like' })
			await insert(world, 'post_reactions', { ...mine, comment_id: commentId, emoji: 'like' })
			await insert(world, 'post_followers', { user_id: who.userId, post_id: postId, created_at: 1 })
			await insert(world, 'flags', { ...of, membership_id: who.memberId, post_id: postId, reason: 'r' })
		}
		const notification = {
			membership_id: bo.memberId,
			kind: 'post_reaction',
			subject_id: postId,
			created_at: world.now,
		}
		await insert(world, 'notifications', { ...notification, actor_id: ada.userId })
		const accessGroupId = await fixture.grant([ada.memberId], [spaceId])
		await insert(world, 'point_transactions', { ...of, user_id: ada.userId, points: 1, reason: 'r' })
		await insert(world, 'community_invitations', {
			...of,
			email: ada.email,
			role: 'member',
			nonce: 'n',
			token_hash: 'h',
			expires_at: world.now + 1,
			accepted_at: 1,
		})
		for (const table of ['memberships', 'posts'])
			await select(world, `update ${table} set index_at = 0 returning 1`)
		await world.cron('* * * * *')
		await world.deliver()
		ids = { spaceId, postId, commentId, eventId, hiddenId, accessGroupId }
		Object.assign(ids, { communityId: fixture.id, memberId: ada.memberId })
	})

	const isRead = ({ method, response }: Operation) => method === 'get' && response !== undefined
	// An alias has the response of its operation.
	const reads = communityOperations.filter(
		(op) => isRead(op) && !op.aliasOf && (op.auth === 'member' || op.auth === 'read' || op.auth === 'admin'),
	)
	const responseOf = async (op: Operation) => {
		const params = Object.fromEntries(
			[...op.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, String(ids[name] ?? 1)]),
		)
		const query = op.query && { query: op.id.startsWith('search') ? { search_text: 'club' } : {} }
		const who = op.auth === 'member' ? bo : fixture.owner
		return world.ask(op, { params, ...query } as never, who)
	}
	type PersonRecord = { memberId: number; name: string | undefined; userId: number | undefined }
	/** Lists the persons in a response with their membership ids. */
	function peopleIn(value: unknown, op: Operation): PersonRecord[] {
		if (Array.isArray(value)) return value.flatMap((one) => peopleIn(one, op))
		if (typeof value !== 'object' || value === null) return []
		const fields = value as Record<string, unknown>
		const memberId =
			fields[exceptions[op.id]?.field ?? (op.path.startsWith('/v1/') ? 'memberId' : 'community_member_id')]
		const inside = Object.values(fields).flatMap((one) => peopleIn(one, op))
		if (typeof memberId !== 'number') return inside
		const isAuthor = Object.keys(fields).join() === 'id,community_member_id,name,avatar_url'
		const specified = op.id === 'listPostFollowers' ? fields.community_member_id : undefined
		const userId = (isAuthor ? fields.id : (fields.user_id ?? fields.userId ?? specified)) as
			| number
			| undefined
		return [{ memberId, name: fields.name as string | undefined, userId }, ...inside]
	}

	test('shows each person under the id of their public profile in every read operation', async () => {
		const counts: Record<string, number> = {}
		for (const op of reads) {
			const answer = await responseOf(op)
			if (answer.status !== 200) continue
			for (const { memberId, name, userId } of peopleIn(JSON.parse(answer.text), op)) {
				counts[op.id] = (counts[op.id] ?? 0) + 1
				const profile = await world.ask(
					members.getPublicProfile,
					{ params: { memberId: String(memberId) } },
					bo,
				)
				if (memberId === formerMember.memberId) {
					expect(profile.status, op.id).toBe(404)
					const known = { params: { communityId: String(fixture.id), memberId: String(memberId) } }
					const member = (await world.ask(memberships.getCommunityMember, known, fixture.owner)).ok.data
					expect([userId ?? formerMember.userId, name ?? member.name], op.id).toEqual([
						formerMember.userId,
						member.name,
					])
					continue
				}
				const { ok } = profile
				expect(ok.community_member_id, op.id).toBe(memberId)
				if (name !== undefined) expect(ok.name, op.id).toBe(name)
				if (userId !== undefined) expect(ok.user_id, op.id).toBe(userId)
			}
		}
		const withPeople = [
			...new Set(
				responseObjects()
					.filter(([, schema]) => isOfPerson(schema))
					.map(([location]) => location.split('.')[0]),
			),
		]
		const expected = withPeople.filter((id) => reads.some((op) => op.id === id))
		// Every operation returned at least one person, so no comparison was empty.
		expect(Object.keys(counts).sort()).toEqual(expected.sort())
	})

	test('shows the member id of the person who accepted an invitation', async () => {
		const params = { communityId: String(fixture.id) }
		const { ok } = await world.ask(listCommunityInvitations, { params, query: {} }, fixture.owner)
		expect(ok.data.map(({ memberId }) => memberId)).toEqual([Number(ids.memberId)])
	})
})
