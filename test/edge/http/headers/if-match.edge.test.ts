import { expect, test } from 'vitest'
import { getOrg, updateOrg } from '#schema/contract/accounts/orgs.ts'
import { getSecuritySettings, updateSecuritySettings } from '#schema/contract/accounts/security.ts'
import { getChapters, replaceChapters } from '#schema/contract/ai/chapters.ts'
import { getTranscript, replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import * as groups from '#schema/contract/community/manage/access-groups.ts'
import { getCommunity, updateCommunity } from '#schema/contract/community/manage/communities.ts'
import { getManagedSpace, updateSpace } from '#schema/contract/community/manage/spaces.ts'
import * as events from '#schema/contract/community/member/events.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import * as collections from '#schema/contract/video/collections.ts'
import {
	getEncodingSettings,
	getSettings,
	updateEncodingSettings,
	updateSettings,
} from '#schema/contract/watch/settings/settings.ts'
import { openHeadless } from '../../community/community.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

type Fixture = Awaited<ReturnType<typeof openHeadless>>
type Case = {
	get: Operation
	update: Operation
	/** Creates the record, and returns the parameters of its path. */
	params?: (fixture: Fixture) => Promise<Record<string, string>> | Record<string, string>
	bodies: readonly [object, object]
	/** The names of what the second body changes. */
	changed: string
	/** Statements that an update with If-Match sends beside those of one without. */
	more?: number
}

const orgId = ({ community }: Fixture) => ({ orgId: community.orgId })
const communityId = ({ community }: Fixture) => ({ communityId: String(community.id) })
const film = async ({ world, community }: Fixture) => ({
	assetId: (await makeReady(world, community.owner, 'Film', { durationSec: 150 })).id,
})
const postId = async ({ community, spaceId }: Fixture) => String(await community.post(spaceId))
const speech = (text: string) => ({ transcript: { segments: [{ start: 0, end: 1, text }] } })
const chapters = (title: string) => ({ chapters: [{ title, startTime: 0 }] })

const cases: readonly Case[] = [
	{ get: getOrg, update: updateOrg, params: orgId, bodies: [{ name: 'A' }, { name: 'B' }], changed: 'name' },
	{
		get: getSettings,
		update: updateSettings,
		bodies: [{ player: { autoplay: true } }, { primaryColor: '#102030', player: { autoplay: false } }],
		changed: 'player, primaryColor',
	},
	{
		get: getEncodingSettings,
		update: updateEncodingSettings,
		bodies: [{ codecs: ['h264', 'hevc'] }, { codecs: ['h264'] }],
		changed: 'codecs',
	},
	{
		get: getSecuritySettings,
		update: updateSecuritySettings,
		bodies: [{ recentProofForApiKeys: true }, { recentProofForApiKeys: false }],
		changed: 'recentProofForApiKeys',
	},
	{
		get: collections.getCollection,
		update: collections.updateCollection,
		params: async ({ world, community }) => {
			const body = { name: 'Films', color: 'red' } as const
			const { id } = (await world.ask(collections.createCollection, { body }, community.owner)).ok.data
			return { collectionId: id }
		},
		bodies: [{ name: 'A' }, { color: 'blue' }],
		changed: 'color',
	},
	{
		get: getCommunity,
		update: updateCommunity,
		params: communityId,
		bodies: [{ name: 'A' }, { name: 'B', reactions: ['wave'] }],
		changed: 'name, reactions',
	},
	{
		get: getManagedSpace,
		update: updateSpace,
		params: (fixture) => ({ ...communityId(fixture), spaceId: String(fixture.spaceId) }),
		bodies: [{ name: 'A' }, { postPolicy: 'admins' }],
		changed: 'postPolicy',
	},
	{
		get: groups.getAccessGroup,
		update: groups.updateAccessGroup,
		params: async (fixture) => ({
			...communityId(fixture),
			accessGroupId: String(await fixture.community.grant([], [])),
		}),
		bodies: [{ name: 'A' }, { status: 'archived' }],
		changed: 'status',
	},
	{
		get: posts.getPost,
		update: posts.updatePost,
		params: async (fixture) => ({ postId: await postId(fixture) }),
		bodies: [{ name: 'A' }, { name: 'B', body: 'Changed', topics: [] }],
		changed: 'body, name',
	},
	{
		get: comments.getPostComment,
		update: comments.updatePostComment,
		params: async (fixture) => {
			const input = { params: { postId: await postId(fixture) }, body: { body: 'Hello' } }
			const { id } = (await fixture.world.ask(comments.createPostComment, input, fixture.community.owner)).ok
			return { commentId: String(id) }
		},
		bodies: [{ body: 'A' }, { body: 'B' }],
		changed: 'body',
	},
	{
		get: events.getEvent,
		update: events.updateEvent,
		params: async ({ community, spaceId }) => ({ eventId: String(await community.event(spaceId)) }),
		bodies: [{ title: 'A' }, { capacity: 3, starts_at: new Date(0).toISOString() }],
		changed: 'capacity, starts_at',
	},
	{
		get: getTranscript,
		update: replaceTranscript,
		params: async (fixture) => {
			const params = await film(fixture)
			await fixture.world.ask(replaceTranscript, { params, body: speech('Hello') }, fixture.community.owner)
			return params
		},
		bodies: [speech('A'), speech('B')],
		changed: 'transcript',
		more: 0,
	},
	{
		get: getChapters,
		update: replaceChapters,
		params: film,
		bodies: [chapters('A'), chapters('B')],
		changed: 'chapters',
		more: 0,
	},
]

async function openRecord({ get, update, params }: Case) {
	const fixture = await openHeadless()
	const { world, community } = fixture
	const path = await params?.(fixture)
	const { owner } = community
	const change = (body: object, tag?: string) =>
		world.ask(update, { ...(path && { params: path }), body } as never, {
			...owner,
			headers: { ...owner.headers, ...(tag !== undefined && { 'if-match': tag }) },
		})
	const readTag = async () =>
		(await world.ask(get, { ...(path && { params: path }) } as never, owner)).headers.get('etag') ?? 'none'
	return { change, readTag }
}

test.each(cases.map((record) => [record.update.id, record] as const))(
	'%s accepts one of two concurrent calls with an entity tag, and names the fields that changed to a later one',
	async (_, record) => {
		const { change, readTag } = await openRecord(record)
		const [first, second] = record.bodies
		const tag = await readTag()
		const both = await Promise.all([change(first, tag), change(first, tag)])
		expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412])
		const plain = await change(second)
		expect([plain.status, plain.headers.get('etag')]).toEqual([200, await readTag()])
		const refused = await change(first, both.find(({ status }) => status === 200)?.headers.get('etag') ?? '')
		expect([refused.status, refused.code]).toEqual([412, 'precondition_failed'])
		expect(refused.headers.get('x-error-fields')).toBe(record.changed)
		expect(await readTag()).toBe(plain.headers.get('etag'))
		const matched = await change(second, await readTag())
		expect(matched.status).toBe(200)
		expect(matched.statements.length - plain.statements.length).toBe(record.more ?? 1)
	},
)
