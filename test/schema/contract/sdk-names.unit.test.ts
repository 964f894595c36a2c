import { describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { findOmissionReason, omittedIds } from '#schema/contract/sdk/left-out.ts'
import { deriveName, nameOperations } from '#schema/contract/sdk/names.ts'
import { resourcesByTag } from '#schema/contract/sdk/resources.ts'

const described = (id: string, tag: string, sdk?: string): Operation => ({
	id,
	tag,
	...(sdk && { sdk }),
	method: 'get',
	path: `/v1/${id}`,
	summary: 'Do something',
	auth: 'read',
	status: 200,
})

describe('the contract', () => {
	test('every operation has a name in the SDK, or a reason why it has none', () => {
		const named = nameOperations(allOperations).map(({ op }) => op)
		const others = allOperations.filter((op) => !named.includes(op))
		expect(others.filter((op) => findOmissionReason(op) === undefined)).toEqual([])
		expect(named.length).toBeGreaterThan(others.length * 5)
	})

	test('the list of operations that the SDK leaves out names only operations of the contract', () => {
		const ids = allOperations.map(({ id }) => id)
		expect(omittedIds.filter((id) => !ids.includes(id))).toEqual([])
	})

	test('no operation sets an SDK name that equals the derived name', () => {
		const repeated = allOperations.filter((op) => op.sdk === deriveName(op)).map(({ id }) => id)
		expect(repeated).toEqual([])
	})

	test('every tag with resources in the SDK is the tag of an operation', () => {
		const tags = new Set(allOperations.map(({ tag }) => tag))
		expect(Object.keys(resourcesByTag).filter((tag) => !tags.has(tag))).toEqual([])
	})
})

test.each([
	['createAsset', 'Assets', 'assets.create'],
	['createPlaybackToken', 'Assets', 'assets.createPlaybackToken'],
	['listSubtitles', 'Assets', 'subtitles.list'],
	['listSpacePosts', 'Community: posts', 'community.posts.listOfSpace'],
	['listReplies', 'Community: comments', 'community.replies.list'],
	['listAccessGroupsOfMember', 'Community management', 'communities.accessGroups.listOfMember'],
	['createChatMessage', 'Community: chat messages', 'community.chatMessages.create'],
	['listLiveEvents', 'Live events', 'liveEvents.list'],
	['mergeEverything', 'Live events', 'liveEvents.mergeEverything'],
])('the operation %s of the tag %s gets the name %s', (id, tag, name) => {
	expect(deriveName(described(id, tag))).toBe(name)
})

test.each([
	[
		'two operations with one name',
		[described('addAsset', 'Assets', 'assets.create'), described('createAsset', 'Assets')],
		"addAsset and createAsset have the same name assets.create in the SDK; set sdk: 'resource.verb' in the operation createAsset",
	],
	[
		'an operation with the name of a resource',
		[described('run', 'Assets', 'a.b'), described('stop', 'Assets', 'a.b.c')],
		"a.b is both a function and a resource of the SDK; set sdk: 'resource.verb' in the operation run",
	],
	[
		'a name without a resource',
		[described('run', 'Assets', 'run')],
		"run is not a valid function name of the SDK; set sdk: 'resource.verb' in the operation run",
	],
])('the names of the SDK are rejected for %s', (_, operations, sentence) => {
	expect(() => nameOperations(operations)).toThrow(sentence)
})
